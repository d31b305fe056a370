package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import java.util.Arrays;
import java.util.List;

/**
 * The chunks of an open block, numbered from 0: first those that came out of the log at start, packed; then those that were appended since,
 * each in the array that its caller gave.
 *
 * <p>Written by the committer's thread. Readers only look below the tail that they were shown, and what is there never changes.
 */
final class Slots {

    private static final int MIN_CAPACITY = 8;

    static final Slots EMPTY = new Slots(PackedChunks.NONE, new byte[0][]);

    private final PackedChunks packed;
    private final byte[][] arrays;

    private Slots(PackedChunks packed, byte[][] arrays) {
        this.packed = packed;
        this.arrays = arrays;
    }

    Chunk chunk(int i, long seq) {
        int appended = i - packed.count();
        return appended < 0 ? packed.chunk(i, seq) : new Chunk(seq, arrays[appended], 0, arrays[appended].length);
    }

    int size(int i) {
        int appended = i - packed.count();
        return appended < 0 ? packed.chunk(i, 0).size() : arrays[appended].length;
    }

    /** The chunks from one, inclusive, to another, exclusive, as arrays; not to be changed. */
    List<byte[]> arrays(int from, int to) {
        int before = packed.count();
        if (from >= before) {
            return Arrays.asList(arrays).subList(from - before, to - before);
        }
        byte[][] copies = new byte[to - from][];
        Arrays.setAll(
                copies, i -> from + i < before ? packed.chunk(from + i, 0).toByteArray() : arrays[from + i - before]);
        return Arrays.asList(copies);
    }

    /** These or larger ones, which share the chunks: with room for {@code more} behind the first {@code count}. */
    Slots withRoom(int count, int more) {
        int used = count - packed.count();
        if (used + more <= arrays.length) {
            return this;
        }
        int capacity = Math.max(MIN_CAPACITY, Math.max(used + more, arrays.length + (arrays.length >> 1)));
        return new Slots(packed, Arrays.copyOf(arrays, capacity));
    }

    /** Puts a chunk that was appended into a slot that nobody was shown yet. */
    void set(int i, byte[] chunk) {
        arrays[i - packed.count()] = chunk;
    }

    /** Slots of the same chunks without the first {@code gone} of {@code count}. */
    Slots without(int gone, int count) {
        return gone == count
                ? EMPTY
                : new Slots(PackedChunks.NONE, arrays(gone, count).toArray(byte[][]::new));
    }

    /** Empty slots, to be filled from the log at start. */
    static Slots forLogged() {
        return new Slots(new PackedChunks(), EMPTY.arrays);
    }

    /** At start: makes room for chunks of the log; {@code bytes} counts their lengths as well. */
    void reserve(int chunks, int bytes) {
        packed.reserve(chunks, bytes);
    }

    /**
     * At start: adds the chunks of one append in the log, from {@code fromSeq} on, for which there is room.
     *
     * @return how many bytes of payload that were
     */
    long addLogged(LogEntry.Cursor append, long fromSeq) {
        return packed.add(append, fromSeq);
    }
}
