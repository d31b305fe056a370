package dev.holdfast.store.sqlite;

/** Every bound of this store, in one place. docs/storage.md explains them to operators. */
final class SqliteLimits {

    /** Size of a page, and the unit in which SQLite writes its log. Measured: see docs/adr/0001-storage-layout.md. */
    static final int PAGE_BYTES = 4096;

    /** What one page costs in the write-ahead log: the page and its frame header. */
    static final int WAL_FRAME_BYTES = PAGE_BYTES + 24;

    /** A message or turn input larger than this is spilled over several rows. */
    static final int MAX_PIECE_BYTES = 1 << 20;

    /** One content, over all its pieces. */
    static final long MAX_CONTENT_BYTES = 256L << 20;

    /** Log entries that one call of {@code releaseLog} deletes at most. */
    static final int MAX_RELEASE_ENTRIES = 1024;

    /** Bytes of log entries that one call of {@code releaseLog} deletes at most; a single larger entry is deleted alone. */
    static final long MAX_RELEASE_BYTES = 16L << 20;

    /** Reads that wait for a thread of the pool; beyond it a caller waits for room. */
    static final int MAX_QUEUED_READS = 1024;

    /**
     * From here on the write-ahead log is copied into the database file. Below 4,062 frames SQLite's shared-memory index needs no second
     * part, whose allocation could fail after a commit is on disk.
     */
    static final long CHECKPOINT_WAL_BYTES = 4L << 20;

    /** From here on the committer waits between two transactions, shortly, for readers to let the write-ahead log start over. */
    static final long RESTART_WAL_BYTES = 16L << 20;

    /** How long that wait is at most; then the log grows by half before the next attempt. */
    static final int MAX_RESTART_WAIT_MILLIS = 50;

    /** Beyond this a long reader holds too much back: writes answer {@code StoreBusy} until it ends. */
    static final long MAX_WAL_BYTES = 1L << 30;

    /** The size to which the file of the write-ahead log is cut when it starts over. */
    static final long KEPT_WAL_BYTES = 16L << 20;

    /** Room on the disk, and as many pages, that are kept back for what frees space. */
    static final int RESERVE_BYTES = 1 << 20;

    /** No more than this part of the configured size is kept back. */
    static final int RESERVE_FRACTION = 16;

    /** How often it is looked whether the reserve can be there again. */
    static final long RESERVE_RETRY_NANOS = 1_000_000_000L;

    /** SQLite's page cache of the connection that writes. */
    static final int WRITE_CACHE_KIB = 16 * 1024;

    /** SQLite's page cache of each connection that reads. */
    static final int READ_CACHE_KIB = 4 * 1024;

    private SqliteLimits() {}
}
