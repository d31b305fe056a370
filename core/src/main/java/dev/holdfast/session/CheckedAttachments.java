package dev.holdfast.session;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The attachments that this process found to be what was stored, so that a part of one does not cost a look at all of it each time. Known by their keys,
 * which are never used again; the ones that were checked last. Thread-safe.
 */
final class CheckedAttachments {

    private static final int MAX_KEYS = 1024;

    private final Set<Long> keys = new LinkedHashSet<>();

    synchronized boolean contains(long key) {
        return keys.contains(key);
    }

    synchronized void add(long key) {
        keys.remove(key);
        keys.add(key);
        if (keys.size() > MAX_KEYS) {
            keys.remove(keys.iterator().next());
        }
    }
}
