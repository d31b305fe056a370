package dev.holdfast.http.durablestreams.subscriptions;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names that no pattern matches, as many as there is room for. Two halves: when the young one is full it becomes the old one, so that what is
 * asked for often stays. Thread-safe; a name may be forgotten at any time.
 */
final class Misses {

    private final int half;
    private volatile Set<String> young = ConcurrentHashMap.newKeySet();
    private volatile Set<String> old = Set.of();

    Misses(int max) {
        this.half = max / 2;
    }

    boolean contains(String name) {
        if (young.contains(name)) {
            return true;
        }
        if (old.contains(name)) {
            add(name);
            return true;
        }
        return false;
    }

    void add(String name) {
        if (young.size() >= half) {
            old = young;
            young = ConcurrentHashMap.newKeySet();
        }
        young.add(name);
    }

    void remove(String name) {
        young.remove(name);
        if (old.contains(name)) {
            old.remove(name);
        }
    }
}
