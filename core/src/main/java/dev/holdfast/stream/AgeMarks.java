package dev.holdfast.stream;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the chunks of an open block must be cut into blocks because of their age, so that no block of a stream that retains by age spans more
 * than a part of that age. Usually there is no such place, since what is open that long is sealed; there is one when that came late. Confined to
 * the committer's thread.
 */
final class AgeMarks {

    /**
     * A place to cut.
     *
     * @param seq first chunk behind it
     * @param lastBefore when the last chunk before it was committed
     * @param at when the first chunk behind it was committed
     */
    private record Mark(long seq, long lastBefore, long at) {}

    private final long maxSpanMillis;

    /** In their order; few, nearly always none, and then the empty list that all instances share. Replaced as a whole, never changed. */
    private List<Mark> marks = List.of();

    private long since;
    private long groupSince;
    private long last;

    /**
     * @param maxSpanMillis how much time may lie between the chunks of a block
     */
    AgeMarks(long maxSpanMillis) {
        this.maxSpanMillis = maxSpanMillis;
    }

    /** Chunks from {@code seq} on were committed at this time; {@code first} if the open block was empty. */
    void added(long seq, long committedAt, boolean first) {
        if (first) {
            since = committedAt;
            groupSince = committedAt;
            marks = List.of();
        } else if (committedAt - groupSince > maxSpanMillis) {
            mark(new Mark(seq, last, committedAt));
            groupSince = committedAt;
        }
        last = committedAt;
    }

    private void mark(Mark next) {
        List<Mark> more = new ArrayList<>(marks);
        more.add(next);
        marks = List.copyOf(more);
    }

    /** No open chunk is older than this. */
    long since() {
        return since;
    }

    /** Whether a block must not go on over this chunk. */
    boolean cutsBefore(long seq) {
        for (Mark mark : marks) {
            if (mark.seq() == seq) {
                return true;
            }
        }
        return false;
    }

    /** When the newest chunk below {@code seq} was committed, or later. */
    long lastBelow(long seq) {
        for (Mark mark : marks) {
            if (mark.seq() >= seq) {
                return mark.lastBefore();
            }
        }
        return last;
    }

    /** The chunks below {@code seq} are open no more. */
    void sealedTo(long seq) {
        int passed = 0;
        while (passed < marks.size() && marks.get(passed).seq() <= seq) {
            since = marks.get(passed++).at();
        }
        if (passed > 0) {
            marks = List.copyOf(marks.subList(passed, marks.size()));
        }
    }
}
