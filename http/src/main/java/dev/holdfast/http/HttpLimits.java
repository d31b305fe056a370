package dev.holdfast.http;

import java.time.Duration;

/**
 * The named limits of the wires over HTTP.
 *
 * @param maxBodyBytes one request's body, unless a route allows less
 * @param maxExchanges requests and open event streams at once; beyond it the answer is 503 with Retry-After, and nobody else is cut
 * @param idleTimeout how long a connection may neither send nor take a byte; more than two heartbeats
 */
public record HttpLimits(int maxBodyBytes, int maxExchanges, Duration idleTimeout) {

    /** One request line with its headers. */
    public static final int MAX_REQUEST_HEAD_BYTES = 16 << 10;

    /** Requests and open event streams on one connection of HTTP/2 at once. */
    public static final int MAX_STREAMS_PER_CONNECTION = 128;

    public static final int MAX_PATH_SEGMENTS = 16;

    public static final int MAX_QUERY_PARAMETERS = 32;

    /** A cursor in a header or in the query. */
    public static final int MAX_CURSOR_CHARS = 8 << 10;

    public static final int DEFAULT_MAX_BODY_BYTES = 8 << 20;

    public static final int DEFAULT_MAX_EXCHANGES = 20_000;

    /** What one read of a stream takes at most before it is written as one batch of events. */
    public static final int MAX_EVENT_BATCH_BYTES = 256 << 10;

    /** What a client that was refused for lack of room is asked to wait, before its own jitter. */
    public static final int RETRY_AFTER_SECONDS = 2;

    /** What a client is given to close its side of a WebSocket that was closed here. */
    public static final Duration WEBSOCKET_CLOSE = Duration.ofSeconds(5);

    /**
     * What is dropped of a message that is refused before the WebSocket is closed: a client that still sends would throw away the close, and
     * what it says, with the reset that follows.
     */
    public static final int MAX_DROPPED_MESSAGE_BYTES = 16 << 20;

    public static HttpLimits defaults() {
        return new HttpLimits(DEFAULT_MAX_BODY_BYTES, DEFAULT_MAX_EXCHANGES, Duration.ofSeconds(60));
    }

    public HttpLimits withMaxBodyBytes(int bytes) {
        return new HttpLimits(bytes, maxExchanges, idleTimeout);
    }

    public HttpLimits withMaxExchanges(int exchanges) {
        return new HttpLimits(maxBodyBytes, exchanges, idleTimeout);
    }

    public HttpLimits withIdleTimeout(Duration timeout) {
        return new HttpLimits(maxBodyBytes, maxExchanges, timeout);
    }
}
