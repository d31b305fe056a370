package dev.holdfast.verification.rig;

import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.Streams;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Chunks to write and what reading gave, in forms that assertions can show. */
public final class Reading {

    public static final int MAX_BYTES = 1 << 20;

    private Reading() {}

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static List<byte[]> chunks(String... texts) {
        return Arrays.stream(texts).map(Reading::bytes).toList();
    }

    /** Bytes that only this stream and position have. */
    public static byte[] payload(String stream, long seq, int length) {
        byte[] bytes = new byte[length];
        new Random(stream.hashCode() * 1_000_003L + seq).nextBytes(bytes);
        return bytes;
    }

    public static List<String> texts(ReadBatch batch) {
        return batch.chunks().stream().map(Chunk::text).toList();
    }

    public static List<Long> seqs(ReadBatch batch) {
        return batch.chunks().stream().map(Chunk::seq).toList();
    }

    /** What can be read now from a position on, in reads of at most {@code maxBytes}; checks that positions are dense. */
    public static List<Chunk> all(Streams streams, String name, long from, int maxBytes) {
        try (StreamReader reader = streams.tail(name, from)) {
            return rest(reader, maxBytes);
        }
    }

    /** What can be read now by this reader; checks that positions are dense. */
    public static List<Chunk> rest(StreamReader reader, int maxBytes) {
        List<Chunk> chunks = new ArrayList<>();
        long expected = reader.cursor().seq();
        while (true) {
            ReadBatch batch = reader.read(maxBytes);
            for (Chunk chunk : batch.chunks()) {
                if (chunk.seq() != expected++) {
                    throw new AssertionError("NO-SEAM: chunk " + chunk.seq() + " follows " + (expected - 2));
                }
                chunks.add(chunk);
            }
            if (batch.upToDate()) {
                return chunks;
            }
        }
    }

    public static List<String> allTexts(Streams streams, String name) {
        return all(streams, name, 0, MAX_BYTES).stream().map(Chunk::text).toList();
    }

    /** Waits for chunks until the stream ends, and returns them. */
    public static List<String> untilEnd(StreamReader reader) {
        List<String> texts = new ArrayList<>();
        try {
            while (true) {
                ReadBatch batch = reader.next(MAX_BYTES);
                texts.addAll(texts(batch));
                if (batch.ended()) {
                    return texts;
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("a reader was interrupted", e);
        }
    }
}
