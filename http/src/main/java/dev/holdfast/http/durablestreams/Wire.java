package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Headers;

/** The protocol's names of header fields, and the fields that are the same in many answers. */
final class Wire {

    static final String NEXT_OFFSET = "Stream-Next-Offset";
    static final String UP_TO_DATE = "Stream-Up-To-Date";
    static final String CURSOR = "Stream-Cursor";
    static final String CLOSED = "Stream-Closed";
    static final String TTL = "Stream-TTL";
    static final String EXPIRES_AT = "Stream-Expires-At";
    static final String SEQ = "Stream-Seq";
    static final String FORKED_FROM = "Stream-Forked-From";
    static final String FORK_OFFSET = "Stream-Fork-Offset";
    static final String FORK_SUB_OFFSET = "Stream-Fork-Sub-Offset";
    static final String SSE_ENCODING = "Stream-SSE-Data-Encoding";
    static final String PRODUCER_ID = "Producer-Id";
    static final String PRODUCER_EPOCH = "Producer-Epoch";
    static final String PRODUCER_SEQ = "Producer-Seq";
    static final String EXPECTED_SEQ = "Producer-Expected-Seq";
    static final String RECEIVED_SEQ = "Producer-Received-Seq";

    /** Not of the protocol: where a trimmed stream begins. */
    static final String FIRST_OFFSET = "Stream-First-Offset";

    /** Not of the protocol: for how many seconds chunks are kept. */
    static final String RETENTION_SECONDS = "Stream-Retention-Seconds";

    /** Not of the protocol: how many bytes of chunks are kept. */
    static final String RETENTION_BYTES = "Stream-Retention-Bytes";

    static final String TRUE = "true";

    static final byte[] NOTHING = new byte[0];

    private static final String EXPOSED = String.join(
            ", ",
            NEXT_OFFSET,
            CURSOR,
            UP_TO_DATE,
            CLOSED,
            TTL,
            EXPIRES_AT,
            SSE_ENCODING,
            FIRST_OFFSET,
            RETENTION_SECONDS,
            RETENTION_BYTES,
            PRODUCER_EPOCH,
            PRODUCER_SEQ,
            EXPECTED_SEQ,
            RECEIVED_SEQ,
            "ETag",
            "Location",
            "Retry-After");

    /** Of every answer where only listed origins may call. */
    static final Headers.Block BROWSER = Headers.Block.of(
            "X-Content-Type-Options", "nosniff",
            "Cross-Origin-Resource-Policy", "cross-origin",
            "Access-Control-Expose-Headers", EXPOSED);

    /** Of every answer where pages of any origin may call. */
    static final Headers.Block ANY_BROWSER = Headers.Block.of(
            "X-Content-Type-Options", "nosniff",
            "Cross-Origin-Resource-Policy", "cross-origin",
            "Access-Control-Allow-Origin", "*",
            "Access-Control-Expose-Headers", EXPOSED);

    static final Headers.Block PREFLIGHT = Headers.Block.of(
            "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS",
            "Access-Control-Allow-Headers",
                    String.join(
                            ", ",
                            "Authorization",
                            "Content-Type",
                            "If-Match",
                            "If-None-Match",
                            "Last-Event-ID",
                            "X-Api-Key",
                            SEQ,
                            CLOSED,
                            TTL,
                            EXPIRES_AT,
                            FORKED_FROM,
                            FORK_OFFSET,
                            FORK_SUB_OFFSET,
                            RETENTION_SECONDS,
                            RETENTION_BYTES,
                            PRODUCER_ID,
                            PRODUCER_EPOCH,
                            PRODUCER_SEQ),
            "Access-Control-Max-Age", "86400");

    static final Headers.Block NO_STORE = Headers.Block.of("Cache-Control", "no-store");

    static final Headers.Block EVENTS = Headers.Block.of(
            "Content-Type", "text/event-stream",
            "Cache-Control", "no-cache",
            "X-Accel-Buffering", "no");

    private Wire() {}
}
