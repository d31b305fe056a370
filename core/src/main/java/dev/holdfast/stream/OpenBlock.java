package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import java.util.List;

/**
 * A stream's durable chunks that are not sealed into a block yet. Owned by the committer's thread; {@link #slots} is shared with readers,
 * who only look below the tail they were shown.
 */
final class OpenBlock {

    /** Memory that a chunk costs beside its bytes: the array's header and its slot. */
    private static final int OVERHEAD_BYTES = 24;

    private Slots slots = Slots.EMPTY;
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

    Slots slots() {
        return slots;
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
        return payload + (long) count * OVERHEAD_BYTES;
    }

    void add(List<byte[]> chunks, long position, long committedAt) {
        slots = slots.withRoom(count, chunks.size());
        long added = 0;
        for (int i = 0; i < chunks.size(); i++) {
            byte[] chunk = chunks.get(i);
            slots.set(count + i, chunk);
            added += chunk.length;
        }
        grown(chunks.size(), added, position, committedAt);
    }

    /** At start: makes room for chunks of the log; {@code bytes} counts their lengths as well. */
    void reserve(int chunks, int bytes) {
        if (slots == Slots.EMPTY) {
            slots = Slots.forLogged();
        }
        slots.reserve(chunks, bytes);
    }

    /** At start: adds the chunks of one append in the log, from {@code fromSeq} on, for which there is room. */
    void addLogged(LogEntry.Cursor append, long fromSeq) {
        long added = slots.addLogged(append, fromSeq);
        grown(
                Math.toIntExact(append.nextSeq() - fromSeq),
                added,
                append.entry().position(),
                append.entry().committedAt());
    }

    private void grown(int chunks, long bytes, long position, long committedAt) {
        ages.added(to(), committedAt, count == 0);
        if (count == 0) {
            oldestPosition = position;
        }
        count += chunks;
        payload += bytes;
        if (fullAtPosition == 0 && isFull()) {
            fullAtPosition = position;
        }
    }

    /** Forgets the chunks below {@code seq}, which are sealed now. The slots that readers hold are left as they are. */
    void sealedTo(long seq) {
        int gone = Math.toIntExact(seq - from);
        for (int i = 0; i < gone; i++) {
            payload -= slots.size(i);
        }
        slots = slots.without(gone, count);
        count -= gone;
        from = seq;
        ages.sealedTo(seq);
        if (fullAtPosition != 0) {
            oldestPosition = fullAtPosition; // what is left came with that commit or later
        }
        fullAtPosition = isFull() ? oldestPosition : 0;
    }
}
