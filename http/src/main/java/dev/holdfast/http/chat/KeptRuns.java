package dev.holdfast.http.chat;

import dev.holdfast.store.Time;
import dev.holdfast.stream.StreamReader;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The readers of connections that are over, for clients that come back with the number of the next chunk. A turn that ends takes its stream
 * along, except for readers that are attached, which still get every chunk as long as it lingers. Also those of connections that ended well are
 * kept: nobody knows how much of what was written arrived. Thread-safe.
 */
final class KeptRuns {

    /** Beyond it the one that was kept longest goes. */
    static final int MAX_KEPT_RUNS = 1_000;

    /** How long a client may take to come back. */
    static final Duration KEPT_RUN_LIFE = Duration.ofSeconds(30);

    private static final Executor LATER =
            CompletableFuture.delayedExecutor(KEPT_RUN_LIFE.toMillis(), TimeUnit.MILLISECONDS);

    private record Key(String tenant, RunId run) {}

    private record Kept(StreamReader reader, long untilNanos) {}

    private final Time time;
    private boolean sweeps; // guarded by this
    private final Map<Key, Kept> runs = new LinkedHashMap<>(); // guarded by this; the one kept longest first

    KeptRuns(Time time) {
        this.time = time;
    }

    synchronized void keep(String tenant, RunId run, StreamReader reader) {
        take(tenant, run).ifPresent(StreamReader::close);
        runs.put(new Key(tenant, run), new Kept(reader, time.monotonicNanos() + KEPT_RUN_LIFE.toNanos()));
        closeOld();
        if (!sweeps) {
            sweeps = true;
            LATER.execute(this::sweep);
        }
    }

    /** Comes back as long as there is something to close. */
    private synchronized void sweep() {
        closeOld();
        sweeps = !runs.isEmpty();
        if (sweeps) {
            LATER.execute(this::sweep);
        }
    }

    private void closeOld() {
        Iterator<Kept> oldest = runs.values().iterator();
        while (oldest.hasNext()) {
            Kept kept = oldest.next();
            if (runs.size() <= MAX_KEPT_RUNS && kept.untilNanos() - time.monotonicNanos() > 0) {
                return;
            }
            oldest.remove();
            kept.reader().close();
        }
    }

    /** The reader, which is the caller's from now on. */
    synchronized Optional<StreamReader> take(String tenant, RunId run) {
        return Optional.ofNullable(runs.remove(new Key(tenant, run))).map(Kept::reader);
    }
}
