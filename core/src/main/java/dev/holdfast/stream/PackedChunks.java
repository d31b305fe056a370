package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Varint;
import java.util.Arrays;

/**
 * Chunks that came out of the log at start, packed into few arrays: with one array for each, a full journal would be millions of objects
 * for the collector to copy while it is read.
 *
 * <p>Chunks lie in <i>runs</i>, each chunk its length and its bytes, as in the log. A run is made as large as needed for what one step of
 * recovery adds, and never copied.
 *
 * <p>Filled by the committer's thread before readers see it, and not changed afterwards.
 */
final class PackedChunks {

    /** No chunks; shared. */
    static final PackedChunks NONE = new PackedChunks();

    /** Consecutive chunks: where each lies, and the number of the first of them. */
    private record Run(int first, int[] offsets, byte[] bytes) {}

    private static final Run NO_RUN = new Run(0, new int[0], new byte[0]);

    private Run[] runs = new Run[0];
    private int runCount;
    private Run last = NO_RUN;
    private int lastBytes;
    private int count;

    int count() {
        return count;
    }

    /** Makes room for chunks that are about to be added; {@code bytes} counts their lengths as well. */
    void reserve(int chunks, int bytes) {
        if (runCount == runs.length) {
            runs = Arrays.copyOf(runs, Math.max(4, 2 * runCount));
        }
        last = new Run(count, new int[chunks], new byte[bytes]);
        lastBytes = 0;
        runs[runCount++] = last;
    }

    /**
     * Copies chunks of one append into the room that was made for them.
     *
     * @param fromSeq the first of them to take
     * @return how many bytes of payload were added
     */
    long add(LogEntry.Cursor append, long fromSeq) {
        Varint.Reader in = append.chunks();
        long added = 0;
        for (long seq = append.firstSeq(); seq < append.nextSeq(); seq++) {
            int start = in.position();
            int length = Math.toIntExact(in.next());
            int unused = in.skip(length);
            if (seq >= fromSeq) {
                int encoded = in.position() - start;
                append.copy(start, last.bytes(), lastBytes, encoded);
                last.offsets()[count - last.first()] = lastBytes;
                lastBytes += encoded;
                count++;
                added += length;
            }
        }
        return added;
    }

    Chunk chunk(int i, long seq) {
        Run run = runs[runOf(i)];
        Varint.Reader in = new Varint.Reader(run.bytes(), run.offsets()[i - run.first()]);
        int length = (int) in.next();
        return new Chunk(seq, run.bytes(), in.position(), length);
    }

    private int runOf(int i) {
        int low = 0;
        int high = runCount - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (runs[middle].first() <= i) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
