package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import java.util.List;

/**
 * A stream's durable chunks that are not sealed into a block yet. Owned by the committer's thread; {@link #chunks} is shared with readers,
 * who only look below the tail they were shown.
 */
final class OpenBlock {

    private OpenChunks chunks = OpenChunks.NONE;
    private int count;
    private long from;
    private long payload;

    /** Log position of the oldest chunk here, or of an older one; meaningful while not empty. */
    private long oldestPosition;

    private final AgeMarks ages;

    /** Log position of the commit with which the payload reached a full block, or 0. */
    private long fullAtPosition;

    OpenBlock(long from, AgeMarks ages) {
        this.from = from;
        this.ages = ages;
    }

    long from() {
        return from;
    }

    long to() {
        return from + count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return payload >= StreamLimits.MAX_BLOCK_BYTES;
    }

    OpenChunks chunks() {
        return chunks;
    }

    long oldestPosition() {
        return oldestPosition;
    }

    /** When the chunks here were committed. */
    AgeMarks ages() {
        return ages;
    }

    long payload() {
        return payload;
    }

    /** Memory held. */
    long heldBytes() {
        return chunks.heldBytes();
    }

    void add(List<byte[]> appended, long position, long committedAt) {
        long added = 0;
        for (int i = 0; i < appended.size(); i++) {
            byte[] chunk = appended.get(i);
            chunks = chunks.with(to() + i, chunk);
            added += chunk.length;
        }
        grown(appended.size(), added, position, committedAt);
    }

    /** At start: makes room for chunks of the log; {@code bytes} counts their lengths as well. */
    void reserve(int count, int bytes) {
        chunks = chunks.withRoom(to(), count, bytes);
    }

    /** At start: adds the chunks of one append in the log, from {@code fromSeq} on, for which there is room. */
    void addLogged(LogEntry.Cursor append, long fromSeq) {
        long added = chunks.addLogged(append, fromSeq);
        grown(
                Math.toIntExact(append.nextSeq() - fromSeq),
                added,
                append.entry().position(),
                append.entry().committedAt());
    }

    private void grown(int added, long bytes, long position, long committedAt) {
        ages.added(to(), committedAt, count == 0);
        if (count == 0) {
            oldestPosition = position;
        }
        count += added;
        payload += bytes;
        if (fullAtPosition == 0 && isFull()) {
            fullAtPosition = position;
        }
    }

    /** Forgets the chunks below {@code seq}, which are sealed now. What readers hold is left as it is. */
    void sealedTo(long seq) {
        int gone = Math.toIntExact(seq - from);
        OpenChunks.Sizes sizes = chunks.sizes(from);
        for (int i = 0; i < gone; i++) {
            payload -= sizes.next();
        }
        chunks = chunks.from(seq);
        count -= gone;
        from = seq;
        ages.sealedTo(seq);
        if (fullAtPosition != 0) {
            oldestPosition = fullAtPosition; // what is left came with that commit or later
        }
        fullAtPosition = isFull() ? oldestPosition : 0;
    }
}
