package dev.holdfast.mcp.tasks;

import dev.holdfast.http.Json;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * How a record of a task is laid out in the chunks of its stream. A record that is larger than a piece takes several chunks of one append. Each
 * chunk begins with a header of fixed size:
 *
 * <pre>
 * kind   1 byte   EVENT or BASE; the high bit says that more pieces follow
 * seq    8 bytes  the event's number; of a base, that of the event which follows it
 * piece  4 bytes  which piece of the record it is, from 0
 * base   8 bytes  position of the first piece of the last base
 * </pre>
 *
 * <p>A <i>base</i> is all there is to know of the task at its place, so that what lies before may be trimmed. From the header of any chunk it is
 * found without another read.
 *
 * @param kind what it is
 * @param more whether another piece follows
 * @param seq the event's number
 * @param piece its place in the record
 * @param base where the base lies
 * @param payload this piece of the record's JSON
 */
record TaskFrame(Kind kind, boolean more, long seq, int piece, long base, ByteBuffer payload) {

    enum Kind {
        EVENT(1),
        BASE(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        private static Kind of(int code) {
            return switch (code) {
                case 1 -> EVENT;
                case 2 -> BASE;
                default -> throw new IllegalStateException("A task's record of an unknown kind: " + code);
            };
        }
    }

    static final int HEADER_BYTES = 1 + 8 + 4 + 8;

    /** Below every sensible limit of a store's chunks. */
    static final int PIECE_BYTES = 256 << 10;

    private static final int MORE = 0x80;

    /** The chunks of a record. */
    static List<byte[]> encode(Kind kind, long seq, long base, byte[] json) {
        List<byte[]> chunks = new ArrayList<>();
        int from = 0;
        do {
            int length = Math.min(PIECE_BYTES, json.length - from);
            boolean more = from + length < json.length;
            byte[] chunk = new byte[HEADER_BYTES + length];
            ByteBuffer.wrap(chunk)
                    .put((byte) (kind.code | (more ? MORE : 0)))
                    .putLong(seq)
                    .putInt(chunks.size())
                    .putLong(base)
                    .put(json, from, length);
            chunks.add(chunk);
            from += length;
        } while (from < json.length);
        return chunks;
    }

    static TaskFrame decode(ByteBuffer chunk) {
        int first = chunk.get() & 0xff;
        return new TaskFrame(
                Kind.of(first & ~MORE),
                (first & MORE) != 0,
                chunk.getLong(),
                chunk.getInt(),
                chunk.getLong(),
                chunk.slice());
    }

    static byte[] json(Map<String, ? extends @Nullable Object> members) {
        return Json.MAPPER.writeValueAsBytes(members);
    }

    /** Puts the pieces of records together. One thread at a time. */
    static final class Assembly {
        private final List<TaskFrame> pieces = new ArrayList<>();

        /** A record that is whole. */
        record Whole(Kind kind, long seq, JsonNode json) {}

        /** Takes the next piece; returns the record if this was its last. */
        @Nullable
        Whole add(TaskFrame frame) {
            if (frame.piece() != pieces.size()) {
                throw new IllegalStateException("A piece of a task's record is missing");
            }
            pieces.add(frame);
            if (frame.more()) {
                return null;
            }
            int length = pieces.stream()
                    .mapToInt(piece -> piece.payload().remaining())
                    .sum();
            ByteBuffer json = ByteBuffer.allocate(length);
            pieces.forEach(piece -> json.put(piece.payload().duplicate()));
            pieces.clear();
            return new Whole(frame.kind(), frame.seq(), Json.MAPPER.readTree(json.array()));
        }
    }
}
