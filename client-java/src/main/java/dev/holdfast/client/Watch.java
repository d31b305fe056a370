package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/** A session that is watched. Thread-safe. */
public interface Watch {

    /** The session's id. */
    String session();

    /** The position behind what the listener has taken; null before anything. All that has to be remembered to go on later. */
    @Nullable
    String cursor();

    /** Whether it is watched still. */
    boolean isActive();

    /** Ends it. No call of the listener begins afterwards. */
    void unwatch();
}
