package dev.holdfast.bench.sessions;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Says when the chunks of all sessions are due, round by round. Thread-safe. */
final class Metronome {

    static final String PATH = "/bench/rounds/";

    private static final long INTERVAL_NANOS = 1_000_000_000;
    private static final long AHEAD_NANOS = 200_000_000;

    private final int sessions;

    /** Guarded by this. */
    private @Nullable Round round;

    Metronome(int sessions) {
        this.sessions = sessions;
    }

    int sessions() {
        return sessions;
    }

    /** Begins a round behind the one before, which must be over. */
    synchronized Round begin(int chunks) {
        Round before = round;
        Round next = new Round(
                before == null ? 0 : before.end(), System.nanoTime() + AHEAD_NANOS, INTERVAL_NANOS, chunks, sessions);
        round = next;
        notifyAll();
        return next;
    }

    /** Waits for the round that begins with this number. */
    synchronized Round await(long first) throws InterruptedException {
        Round now = round;
        while (now == null || now.first() < first) {
            wait();
            now = round;
        }
        return now;
    }

    static void sleepUntil(long nanos) throws InterruptedException {
        for (long wait = nanos - System.nanoTime(); wait > 0; wait = nanos - System.nanoTime()) {
            LockSupport.parkNanos(wait);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
