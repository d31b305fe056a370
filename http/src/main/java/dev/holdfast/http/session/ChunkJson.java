package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import dev.holdfast.stream.Chunk;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;

/**
 * The data of a chunk as JSON on one line: as it is where it is JSON, quoted as text where an agent emitted something else, so that no agent can break
 * the frames of a connection. Looked at once for all who follow a stream, as long as it is among the newest. Thread-safe; a chunk that two readers
 * miss at once is looked at twice.
 */
final class ChunkJson {

    private static final int PLACES = 1024;

    private static final int MAX_KEPT_BYTES = 4 << 10;

    private final AtomicReferenceArray<@Nullable Entry> places = new AtomicReferenceArray<>(PLACES);

    private record Entry(long incarnation, long seq, byte[] json) {}

    /** The JSON of a chunk of a stream; do not change it. */
    byte[] of(long incarnation, Chunk chunk) {
        long seq = chunk.seq();
        int place = (int) Math.floorMod(incarnation * 31 + seq, (long) PLACES);
        Entry known = places.get(place);
        if (known != null && known.incarnation() == incarnation && known.seq() == seq) {
            return known.json();
        }
        byte[] json = of(chunk.toByteArray());
        if (json.length <= MAX_KEPT_BYTES) {
            places.set(place, new Entry(incarnation, seq, json));
        }
        return json;
    }

    static byte[] of(byte[] chunk) {
        return isOneValue(chunk) ? onOneLine(chunk) : quoted(chunk);
    }

    private static boolean isOneValue(byte[] chunk) {
        if (!mayBeUtf8(chunk)) {
            return false;
        }
        try (JsonParser parser = Json.MAPPER.createParser(chunk)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /** JSON begins with ASCII. A byte order mark, or another encoding, which the parser would see through, does not. */
    private static boolean mayBeUtf8(byte[] chunk) {
        return chunk.length > 0 && chunk[0] > 0 && (chunk.length == 1 || chunk[1] != 0);
    }

    /** Line breaks in JSON stand between its tokens only. */
    private static byte[] onOneLine(byte[] json) {
        for (byte b : json) {
            if (b == '\n' || b == '\r') {
                return Json.MAPPER.writeValueAsBytes(Json.MAPPER.readTree(json));
            }
        }
        return json;
    }

    private static byte[] quoted(byte[] bytes) {
        return Json.MAPPER.writeValueAsBytes(new String(bytes, StandardCharsets.UTF_8));
    }
}
