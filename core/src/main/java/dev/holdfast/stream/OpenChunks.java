package dev.holdfast.stream;

import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Varint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of an open block, packed into few arrays: with one array for each, thousands of streams would be millions of objects for the
 * collector to copy, and each append a jump to another place in memory.
 *
 * <p>Chunks lie in <i>runs</i>, each chunk its length and its bytes, as in the log and in blocks; so to seal them is to copy them. A run is never
 * copied to grow: the next one is larger.
 *
 * <p>Written by the committer's thread. Readers only look below the tail that they were shown, and what is there never changes. What readers
 * hold shares its runs with what replaces it.
 */
final class OpenChunks {

    private static final int MIN_RUN_BYTES = 256;
    private static final int MAX_RUN_BYTES = 32 << 10;

    /** A chunk is taken to be no smaller than this when a run is made; smaller ones end the run early. */
    private static final int MIN_EXPECTED_BYTES = 4;

    /** Headers of a run and its two arrays. */
    private static final int RUN_OVERHEAD_BYTES = 72;

    static final OpenChunks NONE = new OpenChunks(new Run[0], 0);

    /** Consecutive chunks. {@code count} and {@code used} are the committer's alone. */
    static final class Run {
        final long first;
        final int[] offsets;
        final byte[] bytes;
        int count;
        int used;

        Run(long first, int chunks, int bytes) {
            this.first = first;
            this.offsets = new int[chunks];
            this.bytes = new byte[bytes];
        }

        /** Adds a chunk behind the last, if there is room. Committer's thread. */
        boolean add(byte[] chunk) {
            if (count == offsets.length || bytes.length - used < sizeOf(chunk)) {
                return false;
            }
            offsets[count++] = used;
            used = Varint.put(bytes, used, chunk.length);
            System.arraycopy(chunk, 0, bytes, used, chunk.length);
            used += chunk.length;
            return true;
        }

        int readAhead() {
            return offsets[Math.min(count, offsets.length - 1)] + bytes[Math.min(used, bytes.length - 1)];
        }

        Chunk chunk(long seq) {
            Varint.Reader in = new Varint.Reader(bytes, offsets[(int) (seq - first)]);
            int length = (int) in.next();
            return new Chunk(seq, bytes, in.position(), length);
        }

        long next() {
            return first + count;
        }

        /** Where the chunk of this number begins, or the end of the run. */
        int startOf(long seq) {
            return seq < next() ? offsets[(int) (seq - first)] : used;
        }

        long heldBytes() {
            return RUN_OVERHEAD_BYTES + bytes.length + (long) Integer.BYTES * offsets.length;
        }
    }

    private final Run[] runs;
    private final long heldBytes;

    private OpenChunks(Run[] runs, long heldBytes) {
        this.runs = runs;
        this.heldBytes = heldBytes;
    }

    /** Memory held. */
    long heldBytes() {
        return heldBytes;
    }

    Chunk chunk(long seq) {
        return runs[runOf(seq)].chunk(seq);
    }

    private int runOf(long seq) {
        int low = 0;
        int high = runs.length - 1;
        if (seq >= runs[high].first) {
            return high; // most readers are near the tail
        }
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (runs[middle].first <= seq) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The chunks from one, inclusive, to another, exclusive, each in an array of its own. */
    List<byte[]> copies(long from, long to) {
        List<byte[]> copies = new ArrayList<>(Math.toIntExact(to - from));
        for (long seq = from; seq < to; seq++) {
            copies.add(chunk(seq).toByteArray());
        }
        return copies;
    }

    private static int sizeOf(byte[] chunk) {
        return Varint.sizeOf(chunk.length) + chunk.length;
    }

    /** These, or new ones that share them, with one more behind the last. Committer's thread. */
    OpenChunks with(long seq, byte[] chunk) {
        Run last = last();
        if (last != null && last.add(chunk)) {
            return this;
        }
        Run run = nextRun(seq, sizeOf(chunk));
        if (!run.add(chunk)) {
            throw new AssertionError("no room for a chunk of %d bytes in a new run".formatted(chunk.length));
        }
        return withRun(run);
    }

    /** The run that takes the next chunk while it has room, or null. */
    @Nullable
    Run last() {
        return runs.length == 0 ? null : runs[runs.length - 1];
    }

    /** Twice as large as the one before, within bounds, for chunks as small as those before. */
    private Run nextRun(long seq, int encoded) {
        int bytes = MIN_RUN_BYTES;
        int expected = encoded;
        Run before = last();
        if (before != null) {
            bytes = Math.max(bytes, Math.min(2 * Math.min(before.bytes.length, MAX_RUN_BYTES), MAX_RUN_BYTES));
            expected = Math.min(expected, before.used / Math.max(1, before.count));
        }
        bytes = Math.max(bytes, encoded);
        return new Run(seq, 1 + bytes / Math.max(expected, MIN_EXPECTED_BYTES), bytes);
    }

    private OpenChunks withRun(Run run) {
        Run[] more = Arrays.copyOf(runs, runs.length + 1);
        more[runs.length] = run;
        return new OpenChunks(more, heldBytes + run.heldBytes());
    }

    /** The same without those below {@code seq}; what shares a run with a later one stays in memory. Committer's thread. */
    OpenChunks from(long seq) {
        Run last = last();
        if (last == null || seq >= last.next()) {
            return NONE;
        }
        Run[] left = Arrays.copyOfRange(runs, runOf(seq), runs.length);
        return new OpenChunks(
                left, Arrays.stream(left).mapToLong(Run::heldBytes).sum());
    }

    /** At start: room for chunks of the log from {@code seq} on; {@code bytes} counts their lengths as well. */
    OpenChunks withRoom(long seq, int chunks, int bytes) {
        return withRun(new Run(seq, chunks, bytes));
    }

    /**
     * At start: adds the chunks of one append in the log, from {@code fromSeq} on, for which there is room.
     *
     * @return how many bytes of payload that were
     */
    long addLogged(LogEntry.Cursor append, long fromSeq) {
        Run run = runs[runs.length - 1];
        Varint.Reader in = append.chunks();
        long added = 0;
        for (long seq = append.firstSeq(); seq < append.nextSeq(); seq++) {
            int start = in.position();
            int length = Math.toIntExact(in.next());
            int unused = in.skip(length);
            if (seq >= fromSeq) {
                int encoded = in.position() - start;
                append.copy(start, run.bytes, run.used, encoded);
                run.offsets[run.count++] = run.used;
                run.used += encoded;
                added += length;
            }
        }
        return added;
    }

    /** The chunks from one, inclusive, to another, exclusive, as a block holds them. Committer's thread. */
    byte[] block(long from, long to) {
        int firstRun = runOf(from);
        long bytes = 0;
        for (int i = firstRun; i < runs.length && runs[i].first < to; i++) {
            bytes += runs[i].startOf(to) - runs[i].startOf(Math.max(from, runs[i].first));
        }
        BlockFormat.Packer block = new BlockFormat.Packer(Math.toIntExact(to - from), Math.toIntExact(bytes));
        for (int i = firstRun; i < runs.length && runs[i].first < to; i++) {
            Run run = runs[i];
            int start = run.startOf(Math.max(from, run.first));
            block.addEncoded(run.bytes, start, run.startOf(to) - start);
        }
        return block.finish();
    }

    /** Steps over the sizes of chunks. */
    Sizes sizes(long from) {
        return new Sizes(from);
    }

    /** Sizes of chunks, one after the other. Committer's thread. */
    final class Sizes {
        private int run;
        private long seq;

        private Sizes(long from) {
            this.seq = from;
            this.run = runs.length == 0 ? 0 : runOf(from);
        }

        int next() {
            if (seq == runs[run].next()) {
                run++;
            }
            Run in = runs[run];
            return (int) new Varint.Reader(in.bytes, in.offsets[(int) (seq++ - in.first)]).next();
        }
    }
}
