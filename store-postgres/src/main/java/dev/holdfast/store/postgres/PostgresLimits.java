package dev.holdfast.store.postgres;

/** Every bound of this store, in one place. docs/storage-postgres.md explains them to operators. */
final class PostgresLimits {

    /** The oldest server that has all that is asked of it ({@code pg_current_xact_id}) and that the tests run against. */
    static final int MIN_SERVER_VERSION = 14;

    /** Shards of one database; their number is the upper part of each key. */
    static final int MAX_SHARDS = 1 << 20;

    /** Keys of one shard count up in so many bits; what is above is the shard's number. */
    static final int KEY_BITS = 40;

    /** A message or turn input larger than this is spilled over several rows. */
    static final int MAX_PIECE_BYTES = 1 << 20;

    /** One content, over all its pieces. */
    static final long MAX_CONTENT_BYTES = 256L << 20;

    /** A turn's input up to this size lies in its row, and is written with it; a larger one only when it changes. */
    static final int MAX_INLINE_INPUT_BYTES = 1_500;

    /** Writes that wait to be sent together; the next one sends them. */
    static final int MAX_PENDING_WRITES = 64;

    /** Bytes of writes that wait to be sent together; a single larger write is sent alone. */
    static final int MAX_PENDING_BYTES = 4 << 20;

    /** Statements sent together that are worth preparing on the server; longer rows of them come in too many shapes. */
    static final int MAX_PREPARED_STATEMENTS = 8;

    /** Segments that one call of {@code deleteBlocks} may delete in the place of one block. */
    static final int SEGMENTS_PER_DELETION = 16;

    /** Entries of the log's index that one call of {@code releaseLog} looks at, to delete what nobody else deletes. */
    static final int MAX_SWEPT_SEGMENTS = 4_096;

    /** Rows of the log that are fetched at once at start, and the bytes they may hold together. */
    static final int MAX_FETCHED_SEGMENTS = 1_024;

    static final long MAX_FETCHED_BYTES = 16L << 20;

    /** Segments that one answer of {@code log} is made of at most. */
    static final int MAX_FOLLOWED_SEGMENTS = 4_096;

    /** Reads that wait for a thread; beyond it a caller waits for room. */
    static final int MAX_QUEUED_READS = 1_024;

    /** Between two attempts to learn the fate of a commit: the first pause, and the longest. */
    static final long MIN_RETRY_MILLIS = 20;

    static final long MAX_RETRY_MILLIS = 1_000;

    /** How much longer the driver waits for an answer than the server is allowed to take for a statement. */
    static final int NETWORK_MARGIN_MILLIS = 10_000;

    /** How long an answer to a beat, or to anything else that nodes share, is waited for at least, however short the lease. */
    static final long MIN_BEAT_TIMEOUT_MILLIS = 5_000;

    private PostgresLimits() {}
}
