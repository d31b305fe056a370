package dev.holdfast.stream;

import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;

/** What the running batch adds to one stream; applied after the commit, or dropped with it. Confined to the committer's thread. */
final class Staging {

    StreamRow row;
    final List<byte[]> chunks = new ArrayList<>(2);
    long tail;
    long sealedTo;
    final Marks.Pending marks;
    boolean created;

    /** Nobody can open it any more. */
    boolean gone;

    /** Its row, and what hangs on it, waits for deletion. */
    boolean leavesRows;

    /** Its name stays taken, since streams were forked from it. */
    boolean leavesName;

    Staging(StreamRow row, long tail, long sealedTo, Marks.Pending marks) {
        this.row = row;
        this.tail = tail;
        this.sealedTo = sealedTo;
        this.marks = marks;
    }
}
