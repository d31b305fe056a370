package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream's durable chunks that are not sealed into a block yet. Owned by the committer's thread; {@link #chunks} is shared with readers,
 * who only look below the tail they were shown.
 */
final class OpenBlock {

    private OpenChunks chunks = OpenChunks.NONE;

    /** The last run of the chunks, so that an append need not look for it; null if there is none. */
    private OpenChunks.@Nullable Run last;

    private long heldBytes;
    private int count;
    private long from;
    private long payload;

    /** Log position of the oldest chunk here, or of an older one; meaningful while not empty. */
    private long oldestPosition;

    private long lastCommittedAt;

    /** Null unless the stream limits the age of its chunks. */
    private final @Nullable AgeMarks ages;

    /** Log position of the commit with which the payload reached a full block, or 0. */
    private long fullAtPosition;

    /**
     * @param maxSpanMillis how much time may lie between the chunks of a block; 0 for any
     */
    OpenBlock(long from, long maxSpanMillis) {
        this.from = from;
        this.ages = maxSpanMillis > 0 ? new AgeMarks(maxSpanMillis) : null;
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

    /** No chunk here is older than this; only of a stream that limits their age. */
    long since() {
        return ages == null ? lastCommittedAt : ages.since();
    }

    /** Whether a block must not go on over this chunk because of its age. */
    boolean cutsBefore(long seq) {
        return ages != null && ages.cutsBefore(seq);
    }

    /** When the newest chunk below {@code seq} was committed, or later. */
    long lastBelow(long seq) {
        return ages == null ? lastCommittedAt : ages.lastBelow(seq);
    }

    long payload() {
        return payload;
    }

    /** Memory held. */
    long heldBytes() {
        return heldBytes;
    }

    void add(List<byte[]> appended, long position, long committedAt) {
        long added = 0;
        for (int i = 0; i < appended.size(); i++) {
            byte[] chunk = appended.get(i);
            if (last == null || !last.add(chunk)) {
                replace(chunks.with(to() + i, chunk));
            }
            added += chunk.length;
        }
        grown(appended.size(), added, position, committedAt);
    }

    int readAhead() {
        OpenChunks.Run run = last;
        return run == null ? 0 : run.readAhead();
    }

    private void replace(OpenChunks other) {
        chunks = other;
        last = other.last();
        heldBytes = other.heldBytes();
    }

    /** At start: makes room for chunks of the log; {@code bytes} counts their lengths as well. */
    void reserve(int count, int bytes) {
        replace(chunks.withRoom(to(), count, bytes));
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
        if (ages != null) {
            ages.added(to(), committedAt, count == 0);
        }
        lastCommittedAt = committedAt;
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
        replace(chunks.from(seq));
        count -= gone;
        from = seq;
        if (ages != null) {
            ages.sealedTo(seq);
        }
        if (fullAtPosition != 0) {
            oldestPosition = fullAtPosition; // what is left came with that commit or later
        }
        fullAtPosition = isFull() ? oldestPosition : 0;
    }
}
