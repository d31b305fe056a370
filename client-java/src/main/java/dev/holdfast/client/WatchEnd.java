package dev.holdfast.client;

import dev.holdfast.client.message.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Why a session is watched no more.
 *
 * @param why one sentence
 * @param problem what the server said, if it did
 * @param failure what the listener threw, if that ended it
 */
public record WatchEnd(
        Reason reason,
        String why,
        @Nullable Problem problem,
        @Nullable Throwable failure) {

    /** Kinds of ends. */
    public enum Reason {
        /** The session was deleted. */
        DELETED,
        /** There is no such session. */
        NOT_FOUND,
        /** It may not be watched. */
        NOT_AUTHORIZED,
        /** The server refused for another reason. */
        REFUSED,
        /** The listener threw too often. */
        LISTENER_FAILED
    }
}
