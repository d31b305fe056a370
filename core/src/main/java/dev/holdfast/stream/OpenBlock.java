package dev.holdfast.stream;

import java.util.Arrays;
import java.util.List;

/**
 * A stream's durable chunks that are not sealed into a block yet. Owned by the committer's thread; {@link #slots} is shared with readers,
 * who only look below the tail they were shown.
 */
final class OpenBlock {

    private static final byte[][] EMPTY = new byte[0][];

    /** Memory that a chunk costs beside its bytes: the array's header and its slot. */
    private static final int OVERHEAD_BYTES = 24;

    private byte[][] slots = EMPTY;
    private int count;
    private long from;
    private long payload;

    /** Log position of the oldest chunk here, or of an older one; meaningful while not empty. */
    private long oldestPosition;

    /** Log position of the commit with which the payload reached a full block, or 0. */
    private long fullAtPosition;

    OpenBlock(long from) {
        this.from = from;
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

    byte[][] slots() {
        return slots;
    }

    long oldestPosition() {
        return oldestPosition;
    }

    long payload() {
        return payload;
    }

    /** Memory held. */
    long heldBytes() {
        return payload + (long) count * OVERHEAD_BYTES;
    }

    void add(List<byte[]> chunks, long position) {
        if (count + chunks.size() > slots.length) {
            slots = Arrays.copyOf(
                    slots, Math.max(8, Math.max(count + chunks.size(), slots.length + (slots.length >> 1))));
        }
        if (count == 0) {
            oldestPosition = position;
        }
        for (int i = 0; i < chunks.size(); i++) {
            byte[] chunk = chunks.get(i);
            slots[count++] = chunk;
            payload += chunk.length;
        }
        if (fullAtPosition == 0 && isFull()) {
            fullAtPosition = position;
        }
    }

    /** Forgets the chunks below {@code seq}, which are sealed now. The array readers hold is left as it is. */
    void sealedTo(long seq) {
        int gone = Math.toIntExact(seq - from);
        byte[][] rest = gone == count ? EMPTY : Arrays.copyOfRange(slots, gone, count);
        for (int i = 0; i < gone; i++) {
            payload -= slots[i].length;
        }
        slots = rest;
        count = rest.length;
        from = seq;
        if (fullAtPosition != 0) {
            oldestPosition = fullAtPosition; // what is left came with that commit or later
        }
        fullAtPosition = isFull() ? oldestPosition : 0;
    }
}
