package dev.holdfast.mcp.streamable;

import java.time.Duration;

/**
 * The named limits of the 2025 revisions. What would exceed one is refused and changes nothing else.
 *
 * @param maxSessions sessions in memory. Those that nobody uses make room, and come back from the store when they are asked for; if all are in
 *     use the answer is 503 with Retry-After. Sessions that have subscribed to resources make room last: of changes that happen while they are
 *     not in memory they are not told, only of those after they are back
 * @param maxStoredSessions sessions of the tenant, in memory or not, until they expire or are deleted; to begin more is answered 503 with
 *     Retry-After. Those that were begun go on
 * @param maxCallsPerSession requests of one session that run at once, and notifications that are being handled; beyond it 429 with Retry-After
 * @param maxBatchMessages messages of one POST of a client of 2025-03-26; beyond it 400
 * @param maxCallBytes what one POST's stream stores; beyond it only answers are, and whatever else the tool sends fails
 */
public record StreamableLimits(
        int maxSessions, int maxStoredSessions, int maxCallsPerSession, int maxBatchMessages, long maxCallBytes) {

    /** Resource subscriptions that one session keeps. */
    public static final int MAX_SUBSCRIPTIONS = 256;

    /** What a refused client is asked to wait. */
    public static final int RETRY_AFTER_SECONDS = 2;

    /** When stored sessions seem to be too many they are counted, at most this often. */
    static final Duration BETWEEN_COUNTS = Duration.ofSeconds(30);

    /** What one read of a stream takes at most before it is written. */
    static final int READ_BYTES = 256 << 10;

    /** Sessions that a broadcast writes to at once. */
    static final int BROADCAST_WRITES = 64;

    public static StreamableLimits defaults() {
        return new StreamableLimits(10_000, 100_000, 64, 100, 256L << 20);
    }

    public StreamableLimits {
        if (maxSessions < 1
                || maxStoredSessions < 1
                || maxCallsPerSession < 1
                || maxBatchMessages < 1
                || maxCallBytes < 1) {
            throw new IllegalArgumentException("Each limit is at least 1");
        }
    }

    public StreamableLimits withMaxSessions(int sessions) {
        return new StreamableLimits(sessions, maxStoredSessions, maxCallsPerSession, maxBatchMessages, maxCallBytes);
    }

    public StreamableLimits withMaxStoredSessions(int sessions) {
        return new StreamableLimits(maxSessions, sessions, maxCallsPerSession, maxBatchMessages, maxCallBytes);
    }

    public StreamableLimits withMaxCallsPerSession(int calls) {
        return new StreamableLimits(maxSessions, maxStoredSessions, calls, maxBatchMessages, maxCallBytes);
    }

    public StreamableLimits withMaxBatchMessages(int messages) {
        return new StreamableLimits(maxSessions, maxStoredSessions, maxCallsPerSession, messages, maxCallBytes);
    }

    public StreamableLimits withMaxCallBytes(long bytes) {
        return new StreamableLimits(maxSessions, maxStoredSessions, maxCallsPerSession, maxBatchMessages, bytes);
    }
}
