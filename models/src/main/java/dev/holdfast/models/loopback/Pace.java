package dev.holdfast.models.loopback;

import java.time.Duration;

/** How fast a {@link LoopbackUpstream} produces the events of an answer. */
public sealed interface Pace {

    /** As fast as they are read. */
    record Unlimited() implements Pace {}

    /** With a pause before each. */
    record Paused(Duration pause) implements Pace {}

    /** Only as many as {@link LoopbackUpstream#release} allows. */
    record Gated() implements Pace {}

    static Pace unlimited() {
        return new Unlimited();
    }

    static Pace eventsPerSecond(int events) {
        if (events < 1) {
            throw new IllegalArgumentException("At least one event per second is needed.");
        }
        return new Paused(Duration.ofSeconds(1).dividedBy(events));
    }

    static Pace gated() {
        return new Gated();
    }
}
