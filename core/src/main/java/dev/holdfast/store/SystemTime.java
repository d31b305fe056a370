package dev.holdfast.store;

import java.security.SecureRandom;

/** The machine's clocks and a secure random generator. */
final class SystemTime implements Time {

    static final SystemTime INSTANCE = new SystemTime();

    private final SecureRandom random = new SecureRandom();

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }

    @Override
    public long randomLong() {
        return random.nextLong();
    }
}
