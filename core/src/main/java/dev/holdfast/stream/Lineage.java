package dev.holdfast.stream;

import dev.holdfast.store.Varint;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the chunks of a fork lie that it did not write itself: runs of sealed blocks of its ancestors. Sequence numbers are the same in all of
 * them, so each run is said by the ancestor's key and the position at which it ends; the next run, or the fork's own blocks, begin there.
 *
 * <p>The list is flat: a fork of a fork names the first ancestor directly, and runs without a chunk are left out. So reading costs the same
 * however long the chain is. Immutable.
 */
final class Lineage {

    static final Lineage NONE = new Lineage(0, new Point(0, 0, Fork.Unit.CHUNKS), List.of());

    /** Where it branched off, as it was asked for: the anchor and the distance past it. */
    record Point(long at, long past, Fork.Unit unit) {}

    /** Chunks below {@code toSeq}, down to the end of the run before, lie in the blocks of this stream. */
    record Run(long key, long toSeq) {}

    private final int depth;
    private final Point point;
    private final List<Run> runs;

    private Lineage(int depth, Point point, List<Run> runs) {
        this.depth = depth;
        this.point = point;
        this.runs = runs;
    }

    /** How many ancestors it has. */
    int depth() {
        return depth;
    }

    Point point() {
        return point;
    }

    /** All below lies with ancestors. */
    long inheritedTo() {
        return runs.isEmpty() ? 0 : runs.getLast().toSeq();
    }

    /** The stream among whose blocks {@code seq} is. */
    long keyOf(long seq, long own) {
        for (Run run : runs) {
            if (seq < run.toSeq()) {
                return run.key();
            }
        }
        return own;
    }

    /** Where the run that holds {@code seq} ends; without limit if that is the fork's own. */
    long endOf(long seq) {
        for (Run run : runs) {
            if (seq < run.toSeq()) {
                return run.toSeq();
            }
        }
        return Long.MAX_VALUE;
    }

    List<Run> runs() {
        return runs;
    }

    /**
     * The lineage of a fork of the stream that has this one.
     *
     * @param key that stream's key
     * @param firstSeq the fork's first readable position
     * @param boundary the fork inherits sealed blocks below it
     */
    Lineage fork(long key, long firstSeq, long boundary, Point asked) {
        List<Run> inherited = new ArrayList<>();
        for (Run run : runs) {
            add(inherited, run.key(), Math.min(run.toSeq(), boundary), firstSeq);
        }
        add(inherited, key, boundary, firstSeq);
        return new Lineage(depth + 1, asked, List.copyOf(inherited));
    }

    private static void add(List<Run> runs, long key, long toSeq, long firstSeq) {
        long from = runs.isEmpty() ? firstSeq : runs.getLast().toSeq();
        if (toSeq > from) {
            runs.add(new Run(key, toSeq));
        }
    }

    /** Depth, anchor, distance and unit, then the number of runs and each one's key and end. */
    byte[] encode() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Varint.write(out, depth);
        Varint.write(out, point.at());
        Varint.write(out, point.past());
        Varint.write(out, point.unit() == Fork.Unit.CHUNKS ? 0 : 1);
        Varint.write(out, runs.size());
        for (Run run : runs) {
            Varint.write(out, run.key());
            Varint.write(out, run.toSeq());
        }
        return out.toByteArray();
    }

    static Lineage decode(byte[] bytes) {
        if (bytes.length == 0) {
            return NONE;
        }
        Varint.Reader in = new Varint.Reader(bytes, 0);
        int depth = Math.toIntExact(in.next());
        Point point = new Point(in.next(), in.next(), in.next() == 0 ? Fork.Unit.CHUNKS : Fork.Unit.BYTES);
        List<Run> runs = new ArrayList<>();
        for (long left = in.next(); left > 0; left--) {
            runs.add(new Run(in.next(), in.next()));
        }
        return new Lineage(depth, point, List.copyOf(runs));
    }
}
