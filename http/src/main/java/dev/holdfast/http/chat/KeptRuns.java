package dev.holdfast.http.chat;

import dev.holdfast.store.Time;
import dev.holdfast.stream.StreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Readers for clients that come back with the number of the next chunk. A turn that ends takes its stream along, except for readers that are
 * attached, which still get every chunk as long as it lingers. So each run has a spare reader from the moment its first connection sends something,
 * however long that connection takes to notice that its client is gone; it is closed some time after the last connection ended. Also those of
 * connections that ended well are kept: nobody knows how much of what was written arrived. The streams of kept runs count among those that linger,
 * whose oldest are cut beyond {@link dev.holdfast.stream.StreamLimits#maxLingerBytes}. Thread-safe.
 */
final class KeptRuns {

    /** Runs without a connection; beyond it the one that was kept longest goes. */
    static final int MAX_KEPT_RUNS = 1_000;

    /** Of one tenant, so that none pushes out the runs of all others. */
    static final int MAX_KEPT_RUNS_PER_TENANT = 250;

    /** How long a client may take to come back after its last connection ended. */
    static final Duration KEPT_RUN_LIFE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(KeptRuns.class);

    private static final Executor LATER =
            CompletableFuture.delayedExecutor(KEPT_RUN_LIFE.toMillis(), TimeUnit.MILLISECONDS);

    private record Key(String tenant, RunId run) {}

    private static final class Kept {
        final StreamReader spare;
        int connections;
        long untilNanos;

        Kept(StreamReader spare) {
            this.spare = spare;
        }
    }

    private final Time time;

    // All guarded by this.
    private final Map<Key, Kept> connected = new HashMap<>();
    private final Map<Key, Kept> left = new LinkedHashMap<>(); // the one that was left longest ago first
    private final Map<String, Integer> leftOf = new HashMap<>(); // by tenant
    private boolean sweeps;

    KeptRuns(Time time) {
        this.time = time;
    }

    /**
     * A connection begins to send a run; {@link #ended} must follow.
     *
     * @param reader of its stream, open
     */
    synchronized void begun(String tenant, RunId run, StreamReader reader) {
        Key key = new Key(tenant, run);
        Kept kept = connected.get(key);
        if (kept == null) {
            kept = removeLeft(key).orElseGet(() -> new Kept(reader.another(0)));
            connected.put(key, kept);
        }
        kept.connections++;
    }

    /** A connection of a run is over. */
    synchronized void ended(String tenant, RunId run) {
        Key key = new Key(tenant, run);
        Kept kept = connected.get(key);
        if (kept == null) {
            throw new IllegalStateException("A connection ended that never began");
        }
        kept.connections--;
        if (kept.connections == 0) {
            connected.remove(key);
            kept.untilNanos = time.monotonicNanos() + KEPT_RUN_LIFE.toNanos();
            left.put(key, kept);
            leftOf.merge(tenant, 1, Integer::sum);
            closeOld();
            closeTooManyOf(tenant);
            sweepLater();
        }
    }

    /** A reader of the run from its beginning, which is the caller's. */
    synchronized Optional<StreamReader> reader(String tenant, RunId run) {
        Key key = new Key(tenant, run);
        Kept kept = connected.getOrDefault(key, left.get(key));
        return Optional.ofNullable(kept).map(found -> found.spare.another(0));
    }

    private Optional<Kept> removeLeft(Key key) {
        Kept kept = left.remove(key);
        if (kept != null) {
            leftOf.compute(key.tenant(), (tenant, count) -> count == null || count == 1 ? null : count - 1);
        }
        return Optional.ofNullable(kept);
    }

    private void sweepLater() {
        if (!sweeps) {
            sweeps = true;
            LATER.execute(this::sweep);
        }
    }

    /** Comes back as long as there is something to close. */
    private synchronized void sweep() {
        sweeps = false;
        closeOld();
        if (!left.isEmpty()) {
            sweepLater();
        }
    }

    private void closeOld() {
        while (!left.isEmpty()) {
            Map.Entry<Key, Kept> oldest = left.entrySet().iterator().next();
            boolean old = oldest.getValue().untilNanos - time.monotonicNanos() <= 0;
            if (!old && left.size() <= MAX_KEPT_RUNS) {
                return;
            }
            close(oldest.getKey());
        }
    }

    private void closeTooManyOf(String tenant) {
        if (leftOf.getOrDefault(tenant, 0) > MAX_KEPT_RUNS_PER_TENANT) {
            Iterator<Key> keys = left.keySet().iterator();
            Key oldest = keys.next();
            while (!oldest.tenant().equals(tenant)) {
                oldest = keys.next();
            }
            close(oldest);
        }
    }

    private void close(Key key) {
        removeLeft(key).ifPresent(kept -> {
            try {
                kept.spare.close();
            } catch (RuntimeException e) { // the other runs must not pay for it
                LOG.warn("The reader of a run that nobody came back for cannot be closed", e);
            }
        });
    }
}
