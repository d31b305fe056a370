package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.Store;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node has of one shard, step by step: nothing, opening it, writing it, closing it. Steps that may take long have a thread of their own,
 * one at a time; while one is under way nothing else is begun. Thread-safe.
 */
final class Tenure {

    private static final Logger LOG = LoggerFactory.getLogger(Tenure.class);

    /** The node that the tenure is of. */
    interface Host {

        /** The node's id; another one after it had to join anew. */
        long node();

        /** What the node runs of a shard now. */
        Engines engines(int shard);

        /** Engines that may write a shard, to be opened on its store. */
        Engines writing(int shard, Store store);

        /** Engines that follow a shard. */
        Engines following(int shard);

        /** From now on the node runs these; the ones before are closed. */
        void replace(int shard, Engines other);

        /** Looks again who holds what, soon. */
        void lookAgain();
    }

    private final int shard;
    private final Coordination coordination;
    private final Host host;
    private final ExecutorService threads;

    /** Whether a thread opens or closes the shard. */
    private boolean busy; // guarded by this

    private long epoch; // guarded by this; 0 unless it is held or being opened

    private boolean inVain; // guarded by this
    private int failures; // to open it, one after the other; guarded by this

    /**
     * @param threads runs what opens and closes the shard
     */
    Tenure(int shard, Coordination coordination, Host host, ExecutorService threads) {
        this.shard = shard;
        this.coordination = coordination;
        this.host = host;
        this.threads = threads;
    }

    int shard() {
        return shard;
    }

    synchronized boolean isMine() {
        return epoch != 0;
    }

    /** Whether engines here may still answer for a shard that another node has. */
    synchronized boolean isLost(Holder holder) {
        return epoch != 0 && (holder.node() != host.node() || holder.epoch() != epoch);
    }

    /** Compares with what the database says. */
    synchronized void check(Holder holder) {
        if (epoch == 0 || busy) {
            return;
        }
        if (isLost(holder)) {
            if (host.engines(shard).healthy()) { // or the write that was refused has said so
                LOG.warn(
                        "Shard {} is held by node {} in epoch {} now; this node stops writing it. Its turns go on there, and calls find their way",
                        shard,
                        holder.node(),
                        holder.epoch());
            }
            lose();
        } else if (!host.engines(shard).healthy()) {
            LOG.warn("Shard {} is closed after a failure, to be opened anew", shard);
            close(true);
        }
    }

    /** Begins to take it. Returns whether that is under way. */
    synchronized boolean take() {
        if (busy) {
            return false;
        }
        OptionalLong taken;
        try {
            taken = coordination.acquire(shard, host.node());
        } catch (HoldfastException e) { // with the next beat; the other shards need not wait for this one
            LOG.warn("Shard {} could not be taken: {}", shard, e.getMessage());
            return false;
        }
        if (taken.isEmpty()) {
            return false;
        }
        epoch = taken.getAsLong();
        busy = true;
        long mine = epoch;
        threads.execute(() -> open(mine));
        return true;
    }

    private void open(long mine) {
        Engines opened;
        try {
            opened = opened(mine);
        } catch (RuntimeException | Error e) { // the lease must not be kept for nothing
            if (isLeaseLost(e)) {
                LOG.warn("Shard {} was taken by another node while it was opened in epoch {}", shard, mine);
                release(mine, () -> {});
            } else {
                LOG.error("Shard {} could not be opened in epoch {}", shard, mine, e);
                release(mine, () -> inVain(e instanceof StoreBusy));
            }
            return;
        }
        try {
            host.replace(shard, opened);
        } finally {
            opened();
        }
        LOG.info("Node {} writes shard {} in epoch {}", host.node(), shard, mine);
        coordination.hintLeases();
        coordination.hint(shard, new long[0]); // what was followed there may have gone on
    }

    private static boolean isLeaseLost(Throwable failure) {
        return failure instanceof StorePoisoned poisoned && poisoned.isLeaseLost();
    }

    /** What passes by itself is tried once more here before the shard is left to others. */
    private synchronized void inVain(boolean passes) {
        failures++;
        inVain = !passes || failures > 1;
    }

    private synchronized void opened() {
        failures = 0;
        idle();
    }

    /** Whether it was taken since this was asked last and could not be opened, for a reason that will not pass by itself. */
    synchronized boolean takenInVain() {
        boolean failed = inVain;
        inVain = false;
        return failed;
    }

    private Engines opened(long mine) {
        Engines opened = host.writing(shard, coordination.store(shard, mine));
        try {
            opened.recover();
            return opened;
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    /** Gives it back if no turn runs in it. Returns whether that is under way. */
    synchronized boolean giveBackIdle() {
        if (busy || epoch == 0 || host.engines(shard).turns().isRunning()) {
            return false;
        }
        close(true);
        return true;
    }

    /** The lease is another node's, or may be. */
    synchronized void lose() {
        if (epoch != 0 && !busy) {
            close(false);
        }
    }

    /** Ends the readers of a shard that is another node's. */
    synchronized void endReaders() {
        if (epoch == 0 && !busy) {
            busy = true;
            threads.execute(() -> {
                try {
                    host.replace(shard, host.following(shard));
                } catch (RuntimeException | Error e) {
                    LOG.error("The readers of shard {} could not be ended", shard, e);
                } finally {
                    idle();
                }
            });
        }
    }

    private synchronized void close(boolean release) {
        busy = true;
        long mine = epoch;
        threads.execute(() -> {
            try {
                host.replace(shard, host.following(shard));
            } catch (RuntimeException | Error e) {
                LOG.error("Shard {} could not be closed well", shard, e);
            }
            if (release) {
                release(mine, () -> {});
            } else {
                over();
                host.lookAgain(); // what is said here is current again
            }
        });
    }

    /** @param released told before anyone else can be, if it could be given back; otherwise it is this node's, which tries again */
    private void release(long mine, Runnable released) {
        try {
            coordination.release(shard, host.node(), mine);
            released.run();
            coordination.hintLeases();
        } catch (HoldfastException e) {
            LOG.warn(
                    "The lease of shard {} could not be given back: {}. This node takes the shard again, or the lease ends with the node",
                    shard,
                    e.getMessage());
        } finally {
            over();
        }
    }

    private synchronized void over() {
        epoch = 0;
        idle();
    }

    private synchronized void idle() {
        busy = false;
        notifyAll();
    }

    /** Waits until no thread opens or closes the shard; none begins to once the node does not beat any more. */
    synchronized void awaitIdle() {
        boolean interrupted = false;
        while (busy) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
