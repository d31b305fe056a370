package dev.holdfast.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers keys in the order in which they first appear: 0, 1, 2 and so on. A hash table of primitives with open addressing, as it is asked
 * for every append of a log.
 */
final class KeyNumbers {

    /** A power of two, and never more than half full. */
    private int[] table = new int[1 << 10];

    private long[] keys = new long[1 << 9];
    private int count;

    /** The number of this key; a new one, if it was never seen. */
    int of(long key) {
        int slot = slot(key);
        int number = table[slot] - 1;
        if (number < 0) {
            number = count;
            if (count == keys.length) {
                grow();
                slot = slot(key);
            }
            keys[count++] = key;
            table[slot] = count;
        }
        return number;
    }

    /** Where the key's number is, plus one, or where it belongs: a slot that holds 0. */
    private int slot(long key) {
        int mask = table.length - 1;
        int slot = Long.hashCode(key * 0x9E3779B97F4A7C15L) & mask;
        while (table[slot] != 0 && keys[table[slot] - 1] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * count);
        table = new int[2 * table.length];
        for (int i = 0; i < count; i++) {
            table[slot(keys[i])] = i + 1;
        }
    }

    /** The keys numbered {@code from} and higher, in order. */
    List<Long> keys(int from) {
        List<Long> list = new ArrayList<>(count - from);
        for (int i = from; i < count; i++) {
            list.add(keys[i]);
        }
        return list;
    }
}
