package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.time.Duration;

/**
 * What becomes of a submitted turn while its session is busy, and of those that wait there already. A session is busy while a turn of it
 * streams, awaits someone, or waits in its queue. Nested turns wait for nobody.
 *
 * <p>A turn whose place another one takes ends as {@code STOPPED}, with a reason that says so; the message it was submitted with stays, and the
 * later turn's agent sees it in the history. Nothing takes the place of a turn that runs already, or of one that regenerates an answer.
 */
public sealed interface Submit {

    /** Waits for its turn: first come, first served. */
    record Queue() implements Submit {}

    /** Takes the place of those that wait. */
    record Latest() implements Submit {}

    /** Takes the place of those that wait, and answers all their messages with its own. */
    record Merge() implements Submit {}

    /** Is refused while the session is busy; nothing is written then. */
    record Drop() implements Submit {}

    /**
     * Starts only after {@code window} without another submission that takes its place; takes the place of those that wait.
     *
     * @param window 1 ms to {@link TurnLimits#MAX_DEBOUNCE}
     */
    record Debounce(Duration window) implements Submit {
        public Debounce {
            if (window.toMillis() < 1 || window.compareTo(TurnLimits.MAX_DEBOUNCE) > 0) {
                throw new InvalidArgument("A debounce window is 1 ms to %d s; got %s."
                        .formatted(TurnLimits.MAX_DEBOUNCE.toSeconds(), window));
            }
        }
    }

    static Submit queue() {
        return new Queue();
    }

    static Submit latest() {
        return new Latest();
    }

    static Submit merge() {
        return new Merge();
    }

    static Submit drop() {
        return new Drop();
    }

    /** With the window {@link TurnLimits#DEFAULT_DEBOUNCE}. */
    static Submit debounce() {
        return new Debounce(TurnLimits.DEFAULT_DEBOUNCE);
    }

    static Submit debounce(Duration window) {
        return new Debounce(window);
    }

    /** Whether it takes the place of those that wait. */
    default boolean replaces() {
        return this instanceof Latest || this instanceof Merge || this instanceof Debounce;
    }
}
