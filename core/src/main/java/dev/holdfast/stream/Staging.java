package dev.holdfast.stream;

import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the running batch adds to one stream; applied after the commit, or dropped with it. Confined to the committer's thread. */
final class Staging {

    StreamRow row;
    private final StreamRow committedRow;
    long tail;
    long sealedTo;
    private List<byte[]> chunks = List.of();
    private boolean ownsChunks;
    private final Marks committedMarks;
    private Marks.@Nullable Pending marks;
    boolean created;

    /** Nobody can open it any more. */
    boolean gone;

    /** Its row, and what hangs on it, waits for deletion. */
    boolean leavesRows;

    /** Its name stays taken, since streams were forked from it. */
    boolean leavesName;

    Staging(StreamRow row, long tail, long sealedTo, Marks committedMarks) {
        this.row = row;
        this.committedRow = row;
        this.tail = tail;
        this.sealedTo = sealedTo;
        this.committedMarks = committedMarks;
    }

    /** Whether the batch writes the row. */
    @SuppressWarnings("ReferenceEquality") // to compare what they say would cost every append more than it saves
    boolean rowChanged() {
        return row != committedRow;
    }

    /** Whether blocks that had to stay may go. */
    boolean freesBlocks() {
        return rowChanged()
                && (row.firstSeq() > committedRow.firstSeq()
                        || (committedRow.kin().forks() > 0 && row.kin().forks() == 0));
    }

    /** What the batch appends. */
    List<byte[]> chunks() {
        return chunks;
    }

    void append(List<byte[]> more) {
        if (chunks.isEmpty()) {
            chunks = List.copyOf(more); // usually itself: most streams get one append in a batch
        } else {
            if (!ownsChunks) {
                chunks = new ArrayList<>(chunks);
                ownsChunks = true;
            }
            chunks.addAll(more);
        }
        tail += more.size();
    }

    /** What senders say in this batch, to be added to. */
    Marks.Pending marks() {
        Marks.Pending pending = marks;
        if (pending == null) {
            pending = committedMarks.stage();
            marks = pending;
        }
        return pending;
    }

    /** After the commit: notes what senders said. */
    void applyMarks() {
        if (marks != null) {
            committedMarks.apply(marks);
        }
    }
}
