package dev.holdfast.http.durablestreams.subscriptions;

import java.time.Duration;

/** The named limits of subscriptions. */
public final class SubscriptionLimits {

    /** Subscriptions of the tenant. */
    public static final int MAX_SUBSCRIPTIONS = 1000;

    /** Streams that one subscription is linked to. */
    public static final int MAX_LINKS = 50_000;

    /** A subscription's id; UTF-8. */
    public static final int MAX_ID_BYTES = 128;

    public static final int MAX_PATTERN_CHARS = 256;

    public static final int MAX_URL_CHARS = 2048;

    public static final int MAX_DESCRIPTION_CHARS = 4096;

    /** The name that a worker gives itself in a claim. */
    public static final int MAX_WORKER_CHARS = 256;

    /** Streams named by one request. */
    public static final int MAX_STREAMS_PER_REQUEST = 500;

    /** Acknowledgements in one request. */
    public static final int MAX_ACKS_PER_REQUEST = 500;

    /** Streams told with one wake or claim; those with something new come first, and the rest is told with later wakes. */
    public static final int MAX_STREAMS_PER_WAKE = 500;

    public static final int MAX_REQUEST_BYTES = 256 << 10;

    /** Webhook requests under way at once; others wait for their turn. */
    public static final int MAX_CONCURRENT_WEBHOOKS = 64;

    /** What is read of a webhook's answer. */
    public static final int MAX_WEBHOOK_ANSWER_BYTES = 64 << 10;

    /** Names of streams that no pattern matches, remembered so that their appends cost one look-up. */
    public static final int MAX_REMEMBERED_MISSES = 100_000;

    public static final Duration MIN_LEASE = Duration.ofSeconds(1);
    public static final Duration MAX_LEASE = Duration.ofMinutes(10);
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** The waits between deliveries of a webhook that fail. */
    static final Duration MIN_RETRY = Duration.ofSeconds(1);

    static final Duration MAX_RETRY = Duration.ofSeconds(60);

    /** How far a wait between deliveries is moved at random, in hundredths of it. */
    static final int RETRY_JITTER_PERCENT = 20;

    /** How long a token is good for, however often its lease was extended. A heartbeat renews one that is halfway there. */
    static final Duration TOKEN_LIFE = Duration.ofDays(1);

    /** Keys of webhooks that are published at once. */
    public static final int MAX_SIGNING_KEYS = 8;

    /** How long a new key of webhooks is published before it signs. */
    public static final Duration KEY_PUBLISHED_BEFORE = Duration.ofMinutes(10);

    /** How long a key of webhooks is published after it signed last. */
    public static final Duration KEY_PUBLISHED_AFTER = Duration.ofDays(1);

    /** After a key of webhooks could not be replaced at its age: when that is tried again at the earliest. */
    static final Duration KEY_REPLACED_AGAIN = Duration.ofMinutes(1);

    /** What caches keep of the published keys. */
    static final Duration KEYS_CACHED = Duration.ofMinutes(5);

    /** A key of webhooks is replaced by age at most so often. */
    public static final Duration MIN_KEY_AGE = Duration.ofDays(1);

    /** How long a webhook's server may take to accept a connection. */
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private SubscriptionLimits() {}
}
