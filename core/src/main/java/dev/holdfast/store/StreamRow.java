package dev.holdfast.store;

import org.jspecify.annotations.Nullable;

/**
 * A stream as its table keeps it. The row is written when the stream is opened, sealed, trimmed, fenced, settled or discarded; never per
 * chunk. While the log holds chunks beyond {@link #sealedTo}, the true tail comes from the log, not from this row.
 *
 * @param key integer key, never reused in the life of a store
 * @param tenant the tenant the name lives in
 * @param name unique per tenant among the streams that are not discarded; one that is deleted but for its forks still has it
 * @param incarnation random number of this creation; cursors are bound to it
 * @param owner key of the session it belongs to (deleted with it), or 0
 * @param state the life cycle
 * @param error the reason of an errored stream, or null
 * @param tag the application's tag, or null
 * @param contentType media type of the chunks
 * @param metadata the application's metadata, possibly empty
 * @param createdAt wall clock, ms
 * @param updatedAt wall clock, ms, of the last write of this row
 * @param closedAt wall clock, ms, or 0 while live
 * @param epoch the current writer's epoch, from 1
 * @param firstSeq first sequence number that can be read (trim moves it), inclusive
 * @param sealedTo all below is in blocks, exclusive
 * @param tail next sequence number as of the last write of this row
 * @param lastAppendAt wall clock, ms, of the last chunk as of the last write of this row
 * @param ttlMillis sliding life time, or 0
 * @param expiresAt wall clock deadline, ms, or 0
 * @param marks what senders said last (the producers' positions, the order, the append that settled), at least as of {@link #sealedTo},
 *     encoded by the stream package
 * @param kin forks
 * @param retained retention
 */
public record StreamRow(
        long key,
        String tenant,
        String name,
        long incarnation,
        long owner,
        State state,
        @Nullable String error,
        @Nullable String tag,
        String contentType,
        byte[] metadata,
        long createdAt,
        long updatedAt,
        long closedAt,
        long epoch,
        long firstSeq,
        long sealedTo,
        long tail,
        long lastAppendAt,
        long ttlMillis,
        long expiresAt,
        byte[] marks,
        Kin kin,
        Retained retained) {

    /**
     * What ties a stream to others: the one it was forked from, and those forked from it.
     *
     * @param source key of the stream it was forked from, or 0; that stream's row stays as long as this one's is not discarded
     * @param forks how many streams that are not discarded were forked from it
     * @param lineage where its chunks below its own first block lie, encoded by the stream package; empty unless it is a fork
     */
    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    public record Kin(long source, long forks, byte[] lineage) {
        public static final Kin NONE = new Kin(0, 0, new byte[0]);

        public Kin withForks(long count) {
            return new Kin(source, count, lineage);
        }
    }

    /**
     * How much of a stream is kept.
     *
     * @param maxAgeMillis a chunk becomes unreadable some time after this, or 0
     * @param maxBytes blocks beyond so many payload bytes become unreadable, oldest first, or 0
     * @param sealedBytes payload of all chunks below {@link StreamRow#sealedTo} that there ever were
     * @param trimAt wall clock, ms, when the oldest block is too old, or 0
     */
    public record Retained(long maxAgeMillis, long maxBytes, long sealedBytes, long trimAt) {
        public static final Retained ALL = new Retained(0, 0, 0, 0);

        /** Whether not everything is kept. */
        public boolean limits() {
            return maxAgeMillis > 0 || maxBytes > 0;
        }

        /** Whether something of it becomes due by the clock. */
        public boolean limitsAge() {
            return maxAgeMillis > 0 || trimAt > 0;
        }
    }

    /** The life cycle of a stream. The codes are stored; never renumber them. */
    public enum State {
        /** Takes chunks. Says nothing of whether a producer is alive. */
        LIVE(0),
        /** Ended well. */
        COMPLETED(1),
        /** Ended with an error. */
        ERRORED(2),
        /** Gone for everyone new; its blocks wait for deletion and its name is free again. */
        DISCARDED(3),
        /** Gone for everyone, but streams that were forked from it need its row and blocks; its name is not free. */
        DELETED(4);

        private final int code;

        State(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /** Whether nobody can open it any more. */
        public boolean isGone() {
            return this == DISCARDED || this == DELETED;
        }

        public static State of(int code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            throw new IllegalArgumentException("no stream state has code " + code);
        }
    }
}
