package dev.holdfast.session;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who waits for which feed. A session has an entry here only while someone watches it, so that sessions nobody looks at cost nothing.
 * Signals are hints and carry nothing: whoever is woken reads the feed (NO-SEAM). Safe for any thread.
 */
final class FeedSignals {

    private static final Logger LOG = LoggerFactory.getLogger(FeedSignals.class);

    private volatile boolean closed;
    private final ConcurrentHashMap<Long, Signal> bySession = new ConcurrentHashMap<>();

    /** One session's watchers. */
    static final class Signal {
        /** Guarded by the map's entry. */
        private int watchers;

        private volatile long version;

        /** On a node that follows the shard: the feed's end at the last look; -1 before the first. Guarded by the engine. */
        private long end = -1;

        private volatile boolean gone;
        private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

        long version() {
            return version;
        }

        boolean gone() {
            return gone;
        }

        void await(Runnable wake) {
            waiting.add(wake);
        }

        /** Returns whether it was still waiting. */
        boolean cancel(Runnable wake) {
            return waiting.remove(wake);
        }

        private void wakeAll() {
            for (Iterator<Runnable> each = waiting.iterator(); each.hasNext(); ) {
                Runnable wake = each.next();
                if (waiting.remove(wake)) {
                    try {
                        wake.run();
                    } catch (RuntimeException e) { // must not reach the committer
                        LOG.warn("A waiter for a session's feed failed", e);
                    }
                }
            }
        }
    }

    /** Wakes everyone, for good. */
    void close() {
        closed = true;
        bySession.values().forEach(Signal::wakeAll);
    }

    boolean closed() {
        return closed;
    }

    FeedWatch watch(long sessionKey) {
        Signal signal = bySession.compute(sessionKey, (key, known) -> {
            Signal entry = known == null ? new Signal() : known;
            entry.watchers++;
            return entry;
        });
        return new FeedWatch(this, sessionKey, signal);
    }

    void leave(long sessionKey) {
        bySession.computeIfPresent(sessionKey, (key, entry) -> --entry.watchers == 0 ? null : entry);
    }

    /** The feed grew, and that is durable. Committer's thread. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void grew(long sessionKey) {
        Signal signal = bySession.get(sessionKey);
        if (signal != null) {
            signal.version++;
        }
    }

    /** The session was deleted, and that is durable. Committer's thread. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void gone(long sessionKey) {
        Signal signal = bySession.get(sessionKey);
        if (signal != null) {
            signal.gone = true;
            signal.version++;
        }
    }

    /** Says of a followed session that it was deleted. */
    static final long GONE = -2;

    /** The sessions that are watched. */
    Set<Long> watched() {
        return bySession.keySet();
    }

    /** On a node that follows the shard: the feed's end as a look found it, or {@link #GONE}. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one look at a time
    void reached(long sessionKey, long end) {
        Signal signal = bySession.get(sessionKey);
        if (signal != null && signal.end != end) {
            signal.end = end;
            signal.gone = end == GONE;
            signal.version++;
            signal.wakeAll();
        }
    }

    void wake(long sessionKey) {
        Signal signal = bySession.get(sessionKey);
        if (signal != null) {
            signal.wakeAll();
        }
    }

    int watchedSessions() {
        return bySession.size();
    }
}
