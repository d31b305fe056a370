package dev.holdfast.stream;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The readers attached to one incarnation of a stream: their number, and those who wait for a change. Wake-ups are hints and carry nothing;
 * a reader registers first and looks at the view again afterwards, so none is lost (NO-SEAM). Safe for any thread.
 *
 * <p>A stream may have thousands of readers, and to wake one from the committer's thread costs about a microsecond, during which nobody else's
 * commit begins. So many are woken on another thread; while it is at work, further wake-ups join it, and readers who are late anyway
 * find more at once.
 */
final class Readers {

    private static final Logger LOG = LoggerFactory.getLogger(Readers.class);

    private static final int EVICTED = Integer.MIN_VALUE;

    /** Up to so many are woken by the caller itself. */
    private static final int DIRECT_LIMIT = 8;

    private final Executor apart;
    private static final AtomicIntegerFieldUpdater<Readers> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Readers.class, "count");
    private static final AtomicIntegerFieldUpdater<Readers> WAKING_APART =
            AtomicIntegerFieldUpdater.newUpdater(Readers.class, "wakingApart");

    private volatile int count;
    private volatile int wakingApart;
    private volatile @Nullable Set<Runnable> waiting;
    private volatile boolean cut;

    /** The readers themselves, for who looks at how far they are; a stream that never had one has no set. */
    private volatile @Nullable Set<StreamReader> present;

    /**
     * @param apart wakes many
     */
    Readers(Executor apart) {
        this.apart = apart;
    }

    /** Adds a reader, unless the stream was evicted from memory: then it must be looked up again. */
    boolean enter() {
        int n;
        do {
            n = count;
            if (n == EVICTED) {
                return false;
            }
        } while (!COUNT.compareAndSet(this, n, n + 1));
        return true;
    }

    /** Returns how many are left. */
    int leave() {
        return COUNT.decrementAndGet(this);
    }

    int readAhead() {
        return count;
    }

    int count() {
        return Math.max(0, count);
    }

    /** Those who wait for the next wake-up. */
    int waiting() {
        Set<Runnable> waiters = waiting;
        return waiters == null ? 0 : waiters.size();
    }

    /** A reader that entered says who it is. */
    void present(StreamReader reader) {
        Set<StreamReader> readers = present;
        if (readers == null) {
            synchronized (this) {
                readers = present;
                if (readers == null) {
                    readers = ConcurrentHashMap.newKeySet();
                    present = readers;
                }
            }
        }
        readers.add(reader);
    }

    /** A reader that leaves. */
    void absent(StreamReader reader) {
        Set<StreamReader> readers = present;
        if (readers != null) {
            readers.remove(reader);
        }
    }

    /** The position of the reader that is furthest behind; {@code tail} if none is behind it. */
    long slowest(long tail) {
        long slowest = tail;
        Set<StreamReader> readers = present;
        if (readers != null) {
            for (StreamReader reader : readers) {
                slowest = Math.min(slowest, reader.position());
            }
        }
        return slowest;
    }

    /** Forbids new readers if there is none. */
    boolean tryEvict() {
        return COUNT.compareAndSet(this, 0, EVICTED);
    }

    boolean evicted() {
        return count == EVICTED;
    }

    /** Ends all readers abortively: their next read fails. */
    void cutAll() {
        cut = true;
        wake();
    }

    boolean isCut() {
        return cut;
    }

    /** Registers for the next wake-up, once. The caller must look at the view again after this. */
    void await(Runnable wake) {
        waiters().add(wake);
    }

    void cancel(Runnable wake) {
        Set<Runnable> waiters = waiting;
        if (waiters != null) {
            waiters.remove(wake);
        }
    }

    void wake() {
        Set<Runnable> waiters = waiting;
        if (waiters == null || waiters.isEmpty()) {
            return;
        }
        if (count() <= DIRECT_LIMIT) {
            wakeAll(waiters);
        } else if (WAKING_APART.compareAndSet(this, 0, 1)) {
            apart.execute(() -> {
                wakingApart = 0; // before the first is woken: whoever changes the stream from now on begins anew
                wakeAll(waiters);
            });
        }
    }

    private static void wakeAll(Set<Runnable> waiters) {
        for (Iterator<Runnable> each = waiters.iterator(); each.hasNext(); ) {
            Runnable waiter = each.next();
            each.remove();
            try {
                waiter.run();
            } catch (RuntimeException | Error e) { // must not reach the committer, nor keep the others asleep
                LOG.warn("A waiter for a stream failed", e);
            }
        }
    }

    private Set<Runnable> waiters() {
        Set<Runnable> waiters = waiting;
        if (waiters == null) {
            synchronized (this) {
                waiters = waiting;
                if (waiters == null) {
                    waiters = ConcurrentHashMap.newKeySet();
                    waiting = waiters;
                }
            }
        }
        return waiters;
    }
}
