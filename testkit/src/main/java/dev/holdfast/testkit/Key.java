package dev.holdfast.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A row's place in its table: an owner, two numbers and a text, of which each table uses what it needs. Texts are ordered by their UTF-8
 * bytes, as databases do.
 */
record Key(String owner, long first, long second, String text) implements Comparable<Key> {

    static Key of(long first) {
        return new Key("", first, 0, "");
    }

    static Key of(long first, long second) {
        return new Key("", first, second, "");
    }

    static Key of(long first, String text) {
        return new Key("", first, 0, text);
    }

    static Key of(String owner, String text) {
        return new Key(owner, 0, 0, text);
    }

    @Override
    public int compareTo(Key other) {
        int order = compare(owner, other.owner);
        if (order == 0) {
            order = Long.compare(first, other.first);
        }
        if (order == 0) {
            order = Long.compare(second, other.second);
        }
        return order == 0 ? compare(text, other.text) : order;
    }

    static int compare(String a, String b) {
        if (a.equals(b)) {
            return 0;
        }
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
