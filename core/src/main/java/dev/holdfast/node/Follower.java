package dev.holdfast.node;

import dev.holdfast.error.HoldfastException.Closed;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at one shard that another node writes, for those who read it here: when a hint says what changed, and from time to time. Looks do not
 * overlap; what is to be looked at while one is under way comes with the next. Thread-safe.
 */
final class Follower {

    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    private final int shard;
    private final IntFunction<Engines> engines;
    private final ExecutorService threads;

    private boolean looking; // guarded by this
    private boolean all; // guarded by this
    private Set<Long> keys = new HashSet<>(); // guarded by this

    Follower(int shard, IntFunction<Engines> engines, ExecutorService threads) {
        this.shard = shard;
        this.engines = engines;
        this.threads = threads;
    }

    /** These streams and sessions may have changed; an empty list stands for any. */
    void changed(long[] changed) {
        Engines here = engines.apply(shard);
        if (here.isWriting() || here.isIdle()) {
            return;
        }
        synchronized (this) {
            all |= changed.length == 0;
            for (long key : changed) {
                keys.add(key);
            }
            if (looking) {
                return;
            }
            looking = true;
        }
        try {
            threads.execute(this::look);
        } catch (RejectedExecutionException e) { // the node is being closed
            LOG.debug("Shard {} is not looked at any more", shard, e);
        }
    }

    private void look() {
        for (Wanted wanted = next(); wanted != null; wanted = next()) {
            Wanted now = wanted;
            try {
                engines.apply(shard).look(key -> now.all() || now.keys().contains(key));
            } catch (Closed e) {
                LOG.debug("Shard {} changed hands during a look", shard, e); // and its readers were told
            } catch (RuntimeException | Error e) { // the next look finds what this one missed
                LOG.warn("Shard {} could not be looked at: {}", shard, e.toString());
            }
        }
    }

    private record Wanted(boolean all, Set<Long> keys) {}

    private synchronized @Nullable Wanted next() {
        if (!all && keys.isEmpty()) {
            looking = false;
            return null;
        }
        Wanted wanted = new Wanted(all, keys);
        all = false;
        keys = new HashSet<>();
        return wanted;
    }
}
