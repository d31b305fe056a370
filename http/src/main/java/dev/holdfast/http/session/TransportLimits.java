package dev.holdfast.http.session;

import java.time.Duration;

/** The named limits of the session transport. */
public final class TransportLimits {

    /** Sessions that one connection watches at once, and that one command names. */
    public static final int MAX_WATCHED = 256;

    /** Events of one session in one frame, before it is another session's turn; a single larger event goes alone. */
    public static final int MAX_FRAME_BYTES = 64 << 10;

    /** A message's content that goes along with the event that tells of it; a larger one is fetched. */
    public static final int MAX_INLINE_MESSAGE_BYTES = 256 << 10;

    /** Contents of the recent messages in a snapshot, or a single larger message. */
    public static final long MAX_SNAPSHOT_BYTES = 1L << 20;

    /** Feed events read at once. */
    static final int MAX_FEED_BATCH = 100;

    /** Streams of one session that one connection follows at once; a cursor knows no more. */
    static final int MAX_FOLLOWED_STREAMS = 32;

    /** Chunks that a client without a cursor is behind, from which on they come merged. */
    static final int MIN_MERGED_CHUNKS = 64;

    /** Replies that wait for a client to take them, before no more of its commands are read. */
    static final int MAX_WAITING_REPLIES = 64;

    /** Seats of a tenant whose driver is gone that are remembered; the oldest are forgotten. */
    static final int MAX_VACANT_SEATS = 10_000;

    /** Sessions that one connection drives; beyond it leaves the one that it took first. */
    static final int MAX_SEATS = 1_000;

    /** How many of all exchanges may be connections, in hundredths: the rest is for their commands. */
    static final int MAX_SHARE_OF_EXCHANGES = 90;

    public static final int MAX_COMMAND_ID_CHARS = 64;
    public static final int MAX_MODE_CHARS = 64;
    public static final int MAX_NONCE_CHARS = 100;
    public static final int MAX_DEVICE_CHARS = 64;
    public static final int MAX_REASON_CHARS = 1000;

    /** How long a suspended connection keeps its drivers' seats. */
    public static final Duration SUSPEND_GRACE = Duration.ofMinutes(2);

    private TransportLimits() {}
}
