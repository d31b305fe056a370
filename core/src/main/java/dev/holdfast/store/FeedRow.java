package dev.holdfast.store;

import org.jspecify.annotations.Nullable;

/**
 * One event of a session's feed.
 *
 * @param sessionKey the session
 * @param seq dense from 0
 * @param kind what happened
 * @param at wall clock, ms
 * @param messageId the message it concerns, or null
 * @param turnId the turn it concerns, or null
 * @param detail more, by kind: an outcome and its reason, a stream's name; or null
 */
public record FeedRow(
        long sessionKey,
        long seq,
        Kind kind,
        long at,
        @Nullable String messageId,
        @Nullable String turnId,
        @Nullable String detail) {

    /** What happened. The codes are stored; never renumber them. */
    public enum Kind {
        MESSAGE_ADDED(1),
        MESSAGE_UPDATED(2),
        MESSAGE_DELETED(3),
        MESSAGES_CLEARED(4),
        /** A turn was accepted. */
        TURN_STARTED(5),
        /** A turn's stream opened; {@code detail} is the stream's name. */
        STREAM_OPENED(6),
        /** A turn waits for a person or a client tool. */
        TURN_AWAITING(7),
        /** A stop was asked for. */
        TURN_STOPPING(8),
        /** A turn has its outcome; {@code detail} is the outcome's name, optionally followed by a colon and a reason. */
        TURN_ENDED(9),
        /** A turn was taken up again after a crash; {@code detail} tells how. */
        TURN_RECOVERING(10),
        PROPERTY_CHANGED(11);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        public static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no feed event kind has code " + code);
        }
    }
}
