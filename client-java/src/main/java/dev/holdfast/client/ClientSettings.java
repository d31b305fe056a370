package dev.holdfast.client;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * How a client goes about its work. Immutable.
 *
 * @param outbox where what is sent is kept until it is answered
 * @param onState told of the connection's state; one call at a time, on {@code executor}. A slow one is told the latest state only
 * @param shortestPause before another try to connect
 * @param longestPause what pauses grow to
 * @param timers the time
 * @param random jitter and ids
 * @param executor runs what is told outside of a connection's thread: states, ends of watches, and what hangs on the futures
 */
public record ClientSettings(
        OutboxStore outbox,
        Consumer<ClientState> onState,
        Duration shortestPause,
        Duration longestPause,
        Timers timers,
        RandomGenerator random,
        Executor executor) {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /** Pauses of 0.5 to 10 seconds, virtual threads, and an outbox in memory. */
    public static ClientSettings defaults() {
        return new ClientSettings(
                OutboxStore.none(),
                state -> {},
                SHORTEST_PAUSE,
                LONGEST_PAUSE,
                Timers.system(),
                new SecureRandom(),
                task -> Thread.ofVirtual().name("holdfast-client").start(task));
    }

    /** These with an outbox that outlives the process. */
    public ClientSettings withOutbox(OutboxStore store) {
        return new ClientSettings(store, onState, shortestPause, longestPause, timers, random, executor);
    }

    /** These with someone to tell of the connection's state. */
    public ClientSettings withOnState(Consumer<ClientState> listener) {
        return new ClientSettings(outbox, listener, shortestPause, longestPause, timers, random, executor);
    }

    /** These with other pauses between tries. */
    public ClientSettings withPauses(Duration shortest, Duration longest) {
        return new ClientSettings(outbox, onState, shortest, longest, timers, random, executor);
    }

    /** These with another time, which tests own. */
    public ClientSettings withTimers(Timers other) {
        return new ClientSettings(outbox, onState, shortestPause, longestPause, other, random, executor);
    }

    /** These with other randomness; it is used under a lock. */
    public ClientSettings withRandom(RandomGenerator other) {
        return new ClientSettings(outbox, onState, shortestPause, longestPause, timers, other, executor);
    }

    /** These with another executor. */
    public ClientSettings withExecutor(Executor other) {
        return new ClientSettings(outbox, onState, shortestPause, longestPause, timers, random, other);
    }
}
