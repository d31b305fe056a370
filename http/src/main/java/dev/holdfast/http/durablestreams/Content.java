package dev.holdfast.http.durablestreams;

import dev.holdfast.stream.Chunk;
import java.util.Base64;
import java.util.List;

/** How chunks become the content of an answer, by the stream's content type. */
enum Content {
    /** One JSON array of the messages. */
    JSON {
        @Override
        byte[] join(List<Chunk> chunks) {
            byte[] joined = new byte[size(chunks) + 1 + Math.max(1, chunks.size())];
            int at = 0;
            joined[at++] = '[';
            for (int i = 0; i < chunks.size(); i++) {
                if (i > 0) {
                    joined[at++] = ',';
                }
                at += chunks.get(i).copyTo(joined, at);
            }
            joined[at] = ']';
            return joined;
        }
    },

    /** The chunks one behind the other, and in an event as they are. */
    TEXT,

    /** The chunks one behind the other, and in an event as base64. */
    BINARY {
        @Override
        byte[] event(List<Chunk> chunks) {
            return Base64.getEncoder().encode(join(chunks));
        }
    };

    static Content of(String contentType) {
        if (MediaType.isJson(contentType)) {
            return JSON;
        }
        return MediaType.isText(contentType) ? TEXT : BINARY;
    }

    static int size(List<Chunk> chunks) {
        int size = 0;
        for (int i = 0; i < chunks.size(); i++) {
            size += chunks.get(i).size();
        }
        return size;
    }

    /** The content of a whole answer. */
    byte[] join(List<Chunk> chunks) {
        byte[] joined = new byte[size(chunks)];
        int at = 0;
        for (int i = 0; i < chunks.size(); i++) {
            at += chunks.get(i).copyTo(joined, at);
        }
        return joined;
    }

    /** The data of one event; an event has at least one chunk. */
    byte[] event(List<Chunk> chunks) {
        return join(chunks);
    }
}
