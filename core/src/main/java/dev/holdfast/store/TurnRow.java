package dev.holdfast.store;

import org.jspecify.annotations.Nullable;

/**
 * A turn as its table keeps it. Written when the turn starts, waits, is stopped, recovers and ends; never per chunk.
 *
 * @param sessionKey the session
 * @param id unique within the session; the idempotency key
 * @param state where it is in its life
 * @param agent the name of the agent that runs it
 * @param fingerprint hash of the payload, to tell a repeat from a conflict
 * @param input the payload for the agent, opaque
 * @param userMessageId the message it answers, or null
 * @param messageId the id of the message it writes; the same over all attempts
 * @param streamKey the key of its present (or last) stream, or 0
 * @param streamName the name of its present (or last) stream, or null
 * @param parentTurn the turn that nests it, as {@code session/turn}, or null
 * @param epoch the lease's epoch; 0 while it waits in the queue, grows with each attempt
 * @param attempts how often an agent was started for it since it last made progress
 * @param progress tail of its stream when the last attempt began
 * @param stopRequested whether a stop was committed
 * @param error reason of a failure or stop, or null
 * @param createdAt wall clock, ms; above that of each turn that was live in the session when this one came, so that it orders the queue
 * @param progressAt wall clock, ms, of the last known progress
 * @param endedAt wall clock, ms, or 0
 * @param kind whether it was submitted or regenerates an answer
 * @param startsAt while it waits: wall clock, ms, before which it does not start; or 0
 * @param slot the message number kept free for its answer because a later message is there already, or 0
 */
public record TurnRow(
        long sessionKey,
        String id,
        State state,
        String agent,
        byte[] fingerprint,
        byte[] input,
        @Nullable String userMessageId,
        String messageId,
        long streamKey,
        @Nullable String streamName,
        @Nullable String parentTurn,
        long epoch,
        int attempts,
        long progress,
        boolean stopRequested,
        @Nullable String error,
        long createdAt,
        long progressAt,
        long endedAt,
        Kind kind,
        long startsAt,
        long slot) {

    /** A submitted turn that never waited. */
    public TurnRow(
            long sessionKey,
            String id,
            State state,
            String agent,
            byte[] fingerprint,
            byte[] input,
            @Nullable String userMessageId,
            String messageId,
            long streamKey,
            @Nullable String streamName,
            @Nullable String parentTurn,
            long epoch,
            int attempts,
            long progress,
            boolean stopRequested,
            @Nullable String error,
            long createdAt,
            long progressAt,
            long endedAt) {
        this(
                sessionKey,
                id,
                state,
                agent,
                fingerprint,
                input,
                userMessageId,
                messageId,
                streamKey,
                streamName,
                parentTurn,
                epoch,
                attempts,
                progress,
                stopRequested,
                error,
                createdAt,
                progressAt,
                endedAt,
                Kind.SUBMIT,
                0,
                0);
    }

    /** The same with another payload. */
    public TurnRow withInput(byte[] payload) {
        return new TurnRow(
                sessionKey,
                id,
                state,
                agent,
                fingerprint,
                payload,
                userMessageId,
                messageId,
                streamKey,
                streamName,
                parentTurn,
                epoch,
                attempts,
                progress,
                stopRequested,
                error,
                createdAt,
                progressAt,
                endedAt,
                kind,
                startsAt,
                slot);
    }

    /** How a turn came about. The codes are stored; never renumber them. */
    public enum Kind {
        /** It answers what was submitted with it; a later submission may take its place while it waits. */
        SUBMIT(0),
        /** It answers again what was answered before; nothing takes its place. */
        REGENERATE(1);

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
            throw new IllegalArgumentException("no kind of turn has code " + code);
        }
    }

    /** Where a turn is in its life. The codes are stored; never renumber them. */
    public enum State {
        /** It waits in its session's queue and has no stream yet. */
        ACCEPTED(0),
        STREAMING(1),
        AWAITING(2),
        COMPLETED(10),
        STOPPED(11),
        FAILED(12),
        INTERRUPTED(13);

        private final int code;

        State(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /** Whether this is one of the four outcomes. */
        public boolean isOutcome() {
            return code >= 10;
        }

        public static State of(int code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            throw new IllegalArgumentException("no turn state has code " + code);
        }
    }
}
