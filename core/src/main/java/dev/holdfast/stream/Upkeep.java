package dev.holdfast.stream;

import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine owes to itself: {@link Sealing} full blocks, releasing the log behind them ({@link RetainedLog}), deleting what was
 * discarded ({@link Purges}), ending what expired ({@link Expiries}), trimming what is not retained
 * ({@link Retaining}), and forgetting streams that nobody uses.
 *
 * <p><b>Order.</b> Only committed chunks are sealed, and the log is released only up to the oldest chunk that is still unsealed: in this
 * order nothing can be lost by a crash in between.
 *
 * <p><b>Idle.</b> Nothing here runs by a clock, except one timer for the next due expiry, one for the next chunk that is
 * too old, and one each for the discarded stream that lingers longest here and elsewhere (IDLE-IS-SILENT).
 *
 * <p>Confined to the committer's thread, but for the methods that say otherwise.
 */
public final class Upkeep implements Maintenance {

    private static final int MAX_EVICTIONS_PER_BATCH = 64;

    private final StreamEngine engine;
    private final Committer committer;
    private final StreamLimits limits;
    private final Linger linger;
    private final FarLinger farLinger;
    private final Backoff backoff;
    private final RetainedLog retained;
    private final Sealing sealing;
    private final Purges purges;
    private final Expiries expiries;
    private final Retaining retaining;

    /** Streams that could be forgotten, the one that waits longest first. */
    private final LinkedHashSet<StreamLog> cached = new LinkedHashSet<>();

    Upkeep(StreamEngine engine, Committer committer, Time time, Timers timers, StreamLimits limits) {
        this.engine = engine;
        this.committer = committer;
        this.limits = limits;
        this.backoff = new Backoff("Upkeep of streams", committer, time, timers);
        this.retained = new RetainedLog(limits, backoff);
        this.sealing = new Sealing(retained, limits, backoff);
        this.purges = new Purges(backoff);
        this.linger = new Linger(time, timers, limits, committer, purges::lingerOver);
        this.farLinger = new FarLinger(time, timers, limits.maxLinger(), committer::nudge, purges::discarded);
        this.retaining = new Retaining(engine, committer, time, timers, sealing, backoff);
        this.expiries = new Expiries(engine, committer, time, timers, backoff);
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        for (long key : reads.discardedStreams(Integer.MAX_VALUE)) {
            discarded(key);
        }
        expiries.arm(reads.nextStreamExpiry());
        retaining.start(reads);
    }

    /** A log entry exists. */
    void logged(long position, int bytes) {
        retained.logged(position, bytes);
    }

    /** A stream came out of the log at start. */
    void recovered(StreamLog log) {
        sealing.changed(log, false, 0, true, 0);
        retaining.changed(log, false);
        loaded(log);
    }

    /** A stream was loaded from its row; an earlier process may have left trimmed blocks. */
    void loaded(StreamLog log) {
        queueToForget(log);
        trimmed(log);
    }

    void applied(
            StreamLog log,
            StoreTransaction.Receipt receipt,
            boolean gone,
            long heldBefore,
            boolean emptyBefore,
            long positionBefore) {
        logged(receipt.position(), receipt.bytes());
        sealing.changed(log, gone, heldBefore, emptyBefore, positionBefore);
        retaining.changed(log, gone);
        if (gone) {
            gone(log);
        } else {
            queueToForget(log);
            expiries.arm(log.view().row().expiresAt());
        }
    }

    private void gone(StreamLog log) {
        cached.remove(log);
        boolean readers = log.attached().count() > 0;
        if (readers) {
            linger.begin(log);
            purges.lingers(log);
        }
        if (log.leavesRows()) {
            discarded(log.key());
        }
    }

    /** Its rows may go, at once or when the readers on other nodes had the time that those here have. */
    private void discarded(long key) {
        if (!engine.isFollowed()) {
            purges.discarded(key);
            return;
        }
        farLinger.begin(key);
    }

    /** Blocks below its first position may go, unless streams that were forked from it read them. */
    void trimmed(StreamLog log) {
        StreamRow row = log.committedRow();
        if (row.firstSeq() > 0 && row.kin().forks() == 0) {
            purges.trimmed(log.key(), row.firstSeq());
        }
    }

    /** A stream that was kept for its forks is gone for good. */
    void ended(long key) {
        discarded(key);
    }

    /** The last reader of a discarded stream left. Any thread. */
    void lingerEnded(StreamLog log) {
        linger.end(log);
        committer.nudge();
    }

    /** A stream was used. Any thread. */
    void touched(StreamLog log, long now) {
        expiries.touched(log, now);
    }

    /** A stream was found expired before the alarm. Any thread. */
    void expireSoon(StreamLog log, long now) {
        expiries.expireSoon(log, now);
    }

    @Override
    public List<Command<?>> due(boolean idle) {
        if (backoff.waiting()) {
            return List.of();
        }
        retained.unneededTo(sealing.unneededTo());
        List<Command<?>> due = new ArrayList<>();
        retaining.queueOld();
        addIfDue(due, sealing.due());
        addIfDue(due, retaining.due());
        addIfDue(due, retained.due());
        farLinger.look();
        addIfDue(due, purges.due());
        addIfDue(due, expiries.due());
        evictSome();
        return due;
    }

    private static void addIfDue(List<Command<?>> due, @Nullable UpkeepTask task) {
        if (task != null) {
            due.add(task);
        }
    }

    private void evictSome() {
        for (int tries = MAX_EVICTIONS_PER_BATCH; tries > 0 && cached.size() > limits.maxCachedStreams(); tries--) {
            StreamLog oldest = cached.removeFirst();
            if (!engine.evict(oldest)) {
                queueToForget(oldest);
            }
        }
    }

    private void queueToForget(StreamLog log) {
        if (log.open().isEmpty() && !log.view().gone()) {
            cached.add(log);
        }
    }

    /** Log bytes that unsealed chunks hold back, and that can be released. */
    public long journalBytes() {
        return retained.bytes();
    }

    /** Memory of all unsealed chunks. */
    public long openBytes() {
        return sealing.openBytes();
    }

    /** The log position up to which entries were released. */
    public long releasedTo() {
        return retained.releasedTo();
    }
}
