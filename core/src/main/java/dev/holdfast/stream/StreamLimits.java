package dev.holdfast.stream;

import java.time.Duration;
import java.time.Instant;

/**
 * The named limits of streams. All sizes are bytes.
 *
 * @param maxChunkBytes one chunk, {@value #DEFAULT_MAX_CHUNK_BYTES} unless configured
 * @param maxJournalBytes log bytes that may wait to be sealed; beyond it the streams that hold the log back are sealed early
 * @param maxOpenBytes chunks of all streams kept in memory because they are not sealed; beyond it the oldest are sealed early
 * @param maxLinger how long readers of a discarded stream may go on
 * @param maxLingerBytes open chunks kept in memory for such readers, over all streams
 * @param maxCallback how long an application's commit callback may run
 * @param maxCachedStreams streams without unsealed chunks and readers that stay in memory
 */
public record StreamLimits(
        int maxChunkBytes,
        long maxJournalBytes,
        long maxOpenBytes,
        Duration maxLinger,
        long maxLingerBytes,
        Duration maxCallback,
        int maxCachedStreams) {

    public static final int DEFAULT_MAX_CHUNK_BYTES = 1 << 20;

    /** A stream name, a tag, a producer id; UTF-8. */
    public static final int MAX_NAME_BYTES = 256;

    public static final int MAX_METADATA_BYTES = 64 << 10;

    public static final int MAX_CONTENT_TYPE_BYTES = 256;

    /** Reason of an errored stream; longer ones are cut. */
    public static final int MAX_REASON_BYTES = 4 << 10;

    /** A sealed block's payload; a single larger chunk makes a block of its own. */
    public static final int MAX_BLOCK_BYTES = 256 << 10;

    /** Payload of one append. */
    public static final int MAX_APPEND_BYTES = 8 << 20;

    /** Idempotent producers one stream remembers. */
    public static final int MAX_PRODUCERS = 4096;

    /** How many ancestors a fork may have. */
    public static final int MAX_FORK_DEPTH = 256;

    /** One read returns at most this, or a single larger chunk. */
    public static final int MAX_READ_BYTES = 4 << 20;

    /** The shortest age that a retention may name. */
    public static final Duration MIN_RETAINED_AGE = Duration.ofSeconds(1);

    /** A stream that retains chunks by age seals them at the latest after this fraction of it, so that no block spans more. */
    static final int SEALS_PER_RETAINED_AGE = 8;

    /** Blocks that one transaction trims of one stream. */
    static final int MAX_TRIMMED_BLOCKS_PER_BATCH = 64;

    /** The longest sliding life. */
    public static final Duration MAX_LIFE = Duration.ofDays(3_650_000);

    /** The last instant at which a stream can be told to expire. */
    public static final Instant LATEST_EXPIRY = Instant.parse("9999-12-31T23:59:59.999Z");

    /** One page of a listing. */
    public static final int MAX_PAGE = 1000;

    /** Sealed payload of one transaction, unless a limit is exceeded. */
    static final int MAX_SEAL_BYTES_PER_BATCH = 2 << 20;

    /** The log is trimmed once this much can be released, or a sixteenth of the journal limit if that is less. */
    static final long TRIM_STEP_BYTES = 4L << 20;

    /** Blocks deleted in one transaction. */
    static final int MAX_DELETES_PER_BATCH = 64;

    /** Decoded blocks kept for readers that fell behind, in bytes. */
    static final long BLOCK_CACHE_BYTES = 16L << 20;

    /** The least that a shard gets of a limit that is divided among shards, in bytes. */
    public static final long MIN_SHARD_BYTES = 8L << 20;

    private static final int MIN_SHARD_STREAMS = 256;

    /** The limits of one shard: what bounds memory is divided, but for a least that a shard can work with. */
    public StreamLimits dividedBy(int shards) {
        return withMaxJournalBytes(share(maxJournalBytes, shards))
                .withMaxOpenBytes(share(maxOpenBytes, shards))
                .withMaxLingerBytes(share(maxLingerBytes, shards))
                .withMaxCachedStreams(
                        Math.max(Math.min(MIN_SHARD_STREAMS, maxCachedStreams), maxCachedStreams / shards));
    }

    private static long share(long bytes, int shards) {
        return Math.max(Math.min(MIN_SHARD_BYTES, bytes), bytes / shards);
    }

    public static StreamLimits defaults() {
        return new StreamLimits(
                DEFAULT_MAX_CHUNK_BYTES,
                256L << 20,
                128L << 20,
                Duration.ofSeconds(30),
                64L << 20,
                Duration.ofSeconds(5),
                4096);
    }

    public StreamLimits withMaxChunkBytes(int bytes) {
        return new StreamLimits(
                bytes, maxJournalBytes, maxOpenBytes, maxLinger, maxLingerBytes, maxCallback, maxCachedStreams);
    }

    public StreamLimits withMaxJournalBytes(long bytes) {
        return new StreamLimits(
                maxChunkBytes, bytes, maxOpenBytes, maxLinger, maxLingerBytes, maxCallback, maxCachedStreams);
    }

    public StreamLimits withMaxOpenBytes(long bytes) {
        return new StreamLimits(
                maxChunkBytes, maxJournalBytes, bytes, maxLinger, maxLingerBytes, maxCallback, maxCachedStreams);
    }

    public StreamLimits withMaxLinger(Duration linger) {
        return new StreamLimits(
                maxChunkBytes, maxJournalBytes, maxOpenBytes, linger, maxLingerBytes, maxCallback, maxCachedStreams);
    }

    public StreamLimits withMaxCallback(Duration callback) {
        return new StreamLimits(
                maxChunkBytes, maxJournalBytes, maxOpenBytes, maxLinger, maxLingerBytes, callback, maxCachedStreams);
    }

    public StreamLimits withMaxCachedStreams(int streams) {
        return new StreamLimits(
                maxChunkBytes, maxJournalBytes, maxOpenBytes, maxLinger, maxLingerBytes, maxCallback, streams);
    }

    public StreamLimits withMaxLingerBytes(long bytes) {
        return new StreamLimits(
                maxChunkBytes, maxJournalBytes, maxOpenBytes, maxLinger, bytes, maxCallback, maxCachedStreams);
    }

    long trimStepBytes() {
        return Math.min(TRIM_STEP_BYTES, maxJournalBytes / 16);
    }
}
