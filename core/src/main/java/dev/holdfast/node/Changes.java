package dev.holdfast.node;

import dev.holdfast.cluster.Coordination.Standing;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of changes of who is alive and who holds what. For each listener one at a time, and those that come meanwhile as one. Thread-safe. */
final class Changes {

    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);

    private final ExecutorService threads;
    private final List<Told> all = new CopyOnWriteArrayList<>();

    // Of the thread that beats.
    private long node;
    private @Nullable Standing before;

    Changes(ExecutorService threads) {
        this.threads = threads;
    }

    /** Returns what ends it. */
    Runnable add(Runnable listener) {
        Told told = new Told(listener);
        all.add(told);
        return () -> all.remove(told);
    }

    /** How the cluster stands now. */
    void seen(long self, Standing now) {
        Standing known = before;
        boolean same = known != null
                && self == node
                && known.nodes().equals(now.nodes())
                && known.holders().equals(now.holders());
        node = self;
        before = now;
        if (!same) {
            all.forEach(Told::tell);
        }
    }

    private final class Told {
        private final Runnable listener;
        private boolean running; // guarded by this
        private boolean again; // guarded by this

        Told(Runnable listener) {
            this.listener = listener;
        }

        synchronized void tell() {
            again = true;
            if (!running) {
                running = true;
                try {
                    threads.execute(this::run);
                } catch (RejectedExecutionException e) { // the node is being closed
                    LOG.debug("Nobody is told of changes any more", e);
                }
            }
        }

        private synchronized boolean next() {
            running = again;
            again = false;
            return running;
        }

        private void run() {
            while (next()) {
                try {
                    listener.run();
                } catch (RuntimeException | Error e) { // and hears of the next change
                    LOG.error("Somebody who was told of a change of nodes failed", e);
                }
            }
        }
    }
}
