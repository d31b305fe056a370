package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.stream.Chunk;
import java.util.ArrayList;
import java.util.List;

/**
 * How messages become chunks: one byte that says what it is and which part of it, then the bytes. A message that is larger than a part is
 * several chunks of one append, so that there is never half of one.
 */
final class Framing {

    /** What a chunk carries: the request that a stream answers, or a message to the client, which alone is delivered. */
    static final int REQUEST = 0x10;

    static final int MESSAGE = 0x20;

    /** The id, as JSON, of a request that is not answered any more. Not delivered. */
    static final int CANCELLED = 0x30;

    static final int WHOLE = 0;
    static final int FIRST = 1;
    static final int NEXT = 2;
    static final int LAST = 3;

    private static final int KIND_BITS = 0xf0;
    private static final int PART_BITS = 0x0f;

    private Framing() {}

    /**
     * @param kind {@link #REQUEST}, {@link #MESSAGE} or {@link #CANCELLED}
     * @throws LimitExceeded if it is larger than {@link McpEventStore#MAX_EVENT_BYTES}
     */
    static List<byte[]> chunks(int kind, byte[] message) {
        if (message.length > McpEventStore.MAX_EVENT_BYTES) {
            throw new LimitExceeded(
                    "MAX_EVENT_BYTES", McpEventStore.MAX_EVENT_BYTES, message.length, "send a smaller message");
        }
        List<byte[]> chunks = new ArrayList<>(1);
        int parts = Math.max(1, Math.ceilDiv(message.length, McpEventStore.PART_BYTES));
        for (int i = 0; i < parts; i++) {
            int from = i * McpEventStore.PART_BYTES;
            int length = Math.min(McpEventStore.PART_BYTES, message.length - from);
            byte[] chunk = new byte[1 + length];
            chunk[0] = (byte) (kind | part(i, parts));
            System.arraycopy(message, from, chunk, 1, length);
            chunks.add(chunk);
        }
        return chunks;
    }

    private static int part(int index, int parts) {
        if (parts == 1) {
            return WHOLE;
        }
        return index == 0 ? FIRST : index == parts - 1 ? LAST : NEXT;
    }

    static int kind(Chunk chunk) {
        return chunk.bytes().get(0) & KIND_BITS;
    }

    static int part(Chunk chunk) {
        return chunk.bytes().get(0) & PART_BITS;
    }
}
