package dev.holdfast.mcp;

import java.time.Duration;

/**
 * The time between two attempts at what is refused for the moment. For Holdfast's own packages.
 *
 * @param length how long it is
 */
public record Pause(Duration length) {

    /** The one after the first attempt. */
    public static final Pause FIRST = new Pause(Duration.ofMillis(50));

    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** The next one: twice as long, at most half a minute. */
    public Pause longer() {
        Duration twice = length.multipliedBy(2);
        return new Pause(twice.compareTo(LONGEST) < 0 ? twice : LONGEST);
    }

    /** Waits for its end, or until the thread is interrupted, which it then still is. */
    public void sleep() {
        try {
            Thread.sleep(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Does something after it, on a thread of its own. What that throws is lost. */
    public void then(Runnable action) {
        Thread.ofVirtual().name("holdfast-mcp-later").start(() -> {
            sleep();
            action.run();
        });
    }
}
