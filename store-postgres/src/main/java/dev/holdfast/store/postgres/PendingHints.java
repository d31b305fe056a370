package dev.holdfast.store.postgres;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the next notification: everything that commits changed while one was under way goes with the next. Bounded: beyond
 * {@link CoordinationLimits#MAX_PENDING_KEYS} keys, a shard stands for all of its keys.
 */
final class PendingHints {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Long> letters = new HashSet<>();

    /** Null stands for any key. */
    private final Map<Integer, @Nullable Set<Long>> changes = new HashMap<>();

    private int keyCount;
    private boolean everything;
    private boolean leases;
    private boolean closed;

    void letters(Set<Long> nodes) {
        lock.lock();
        try {
            letters.addAll(nodes);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void changed(int shard, long[] keys) {
        lock.lock();
        try {
            add(shard, keys);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void leases() {
        lock.lock();
        try {
            leases = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Hints were lost on their way. */
    void lost() {
        lock.lock();
        try {
            everything = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something, and takes all of it; null when closed. */
    @Nullable
    Hints take(long origin) throws InterruptedException {
        lock.lock();
        try {
            while (letters.isEmpty() && changes.isEmpty() && !everything && !leases && !closed) {
                changed.await();
            }
            if (closed) {
                return null;
            }
            Map<Integer, long[]> taken = new HashMap<>();
            changes.forEach((shard, keys) -> taken.put(
                    shard,
                    keys == null
                            ? new long[0]
                            : keys.stream().mapToLong(Long::longValue).toArray()));
            Hints hints = new Hints(origin, everything, leases, List.copyOf(letters), taken);
            letters.clear();
            changes.clear();
            keyCount = 0;
            everything = false;
            leases = false;
            return hints;
        } finally {
            lock.unlock();
        }
    }

    /** Waits as long, or until closed. */
    void pause(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = millis * 1_000_000;
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Guarded by the lock. */
    private void add(int shard, long[] keys) {
        Set<Long> known = changes.computeIfAbsent(shard, key -> new HashSet<>());
        if (keys.length == 0 || keyCount + keys.length > CoordinationLimits.MAX_PENDING_KEYS) {
            keyCount -= known == null ? 0 : known.size();
            changes.put(shard, null);
        } else if (known != null) {
            for (long key : keys) {
                keyCount += known.add(key) ? 1 : 0;
            }
        }
    }
}
