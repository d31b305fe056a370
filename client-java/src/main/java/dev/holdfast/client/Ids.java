package dev.holdfast.client;

import java.util.random.RandomGenerator;

/** Ids of commands, messages and nonces: random, so that they are new in every process. Guarded by the client's monitor. */
final class Ids {

    private final RandomGenerator random;

    Ids(RandomGenerator random) {
        this.random = random;
    }

    String next() {
        return "%016x%016x".formatted(random.nextLong(), random.nextLong());
    }
}
