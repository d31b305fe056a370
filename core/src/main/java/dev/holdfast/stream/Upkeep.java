package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the engine owes to itself: sealing full blocks, releasing the log behind them, deleting what was discarded, ending what expired.
 *
 * <p><b>Sealing.</b> A stream whose open block is full is sealed with the next batch. A settled stream that is kept is sealed at once, so
 * that it holds nothing back. Beyond {@code maxJournalBytes} or {@code maxOpenBytes} the streams with the oldest unsealed chunks are sealed
 * early, whatever their size. Only committed chunks are sealed, and the log is released only up to the oldest chunk that is still unsealed:
 * in this order nothing can be lost by a crash in between.
 *
 * <p><b>Idle.</b> Nothing here runs by a clock, except one timer for the next due expiry and one per linger (IDLE-IS-SILENT). The log is
 * trimmed in steps, so a lone turn pays no transaction for it.
 *
 * <p>Confined to the committer's thread, but for the methods that say otherwise.
 */
public final class Upkeep implements Maintenance {

    private static final int MAX_SEALS_PER_BATCH = 1024;
    private static final int MAX_EXPIRIES_PER_BATCH = 256;
    private static final int MAX_EVICTIONS_PER_BATCH = 64;

    private record Held(long position, long key) {}

    private record Entry(long position, int bytes) {}

    /** Blocks to delete; with {@code forGood} the row goes as well. */
    private static final class Purge {
        final long key;
        final long belowSeq;
        final boolean forGood;
        final @Nullable StreamLog lingering;

        Purge(long key, long belowSeq, boolean forGood, @Nullable StreamLog lingering) {
            this.key = key;
            this.belowSeq = belowSeq;
            this.forGood = forGood;
            this.lingering = lingering;
        }

        boolean ready() {
            return lingering == null
                    || lingering.attached().count() == 0
                    || lingering.attached().isCut();
        }
    }

    private final StreamEngine engine;
    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private final StreamLimits limits;
    private final Linger linger;
    private final Backoff backoff;

    /** Streams with unsealed chunks, by the log position of their oldest one. */
    private final TreeMap<Held, StreamLog> held =
            new TreeMap<>(Comparator.comparingLong(Held::position).thenComparingLong(Held::key));

    private final ArrayDeque<StreamLog> toSeal = new ArrayDeque<>();
    private final LinkedHashSet<StreamLog> cached = new LinkedHashSet<>();
    private final ArrayDeque<Purge> purges = new ArrayDeque<>();
    private long openBytes;

    /** Log entries that a stream may still need, oldest first. */
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    private long retainedBytes;
    private long releasableTo;
    private long releasableBytes;
    private long lastPosition;
    private long lastBatchBytes;
    private long releasedTo;

    /** Streams seen expired or touched late; filled by any thread. */
    private final ConcurrentLinkedQueue<StreamLog> noted = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean expiryDue = new AtomicBoolean();
    private long armedFor;
    private Timers.@Nullable Handle alarm;

    Upkeep(StreamEngine engine, Committer committer, Time time, Timers timers, StreamLimits limits) {
        this.engine = engine;
        this.committer = committer;
        this.time = time;
        this.timers = timers;
        this.limits = limits;
        this.linger = new Linger(timers, limits, committer);
        this.backoff = new Backoff("Upkeep of streams", committer, time, timers);
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        for (long key : reads.discardedStreams(Integer.MAX_VALUE)) {
            purges.add(new Purge(key, Long.MAX_VALUE, true, null));
        }
        arm(reads.nextStreamExpiry());
    }

    /** A log entry exists. */
    void logged(long position, int bytes) {
        if (position > lastPosition) {
            lastPosition = position;
            entries.addLast(new Entry(position, bytes));
            retainedBytes += bytes;
            lastBatchBytes = bytes;
        }
    }

    /** A stream came out of the log at start. */
    void recovered(StreamLog log, long heldBefore, boolean emptyBefore) {
        openBytes += log.open().heldBytes() - heldBefore;
        if (emptyBefore && !log.open().isEmpty()) {
            held.put(new Held(log.open().oldestPosition(), log.key()), log);
        }
        queueToSeal(log);
    }

    /** A stream was loaded from its row, or from the log at start; an earlier process may have left trimmed blocks. */
    void loaded(StreamLog log) {
        queueToForget(log);
        if (log.view().row().firstSeq() > 0) {
            purges.add(new Purge(log.key(), log.view().row().firstSeq(), false, null));
        }
    }

    void applied(
            StreamLog log,
            StoreTransaction.Receipt receipt,
            boolean gone,
            long heldBefore,
            boolean emptyBefore,
            long positionBefore) {
        logged(receipt.position(), receipt.bytes());
        OpenBlock open = log.open();
        boolean holds = !gone && !open.isEmpty();
        if (emptyBefore == holds || (holds && open.oldestPosition() != positionBefore)) {
            if (!emptyBefore) {
                held.remove(new Held(positionBefore, log.key()));
            }
            if (holds) {
                held.put(new Held(open.oldestPosition(), log.key()), log);
            }
        }
        openBytes += (gone ? 0 : open.heldBytes()) - heldBefore;
        if (gone) {
            gone(log);
        } else {
            queueToSeal(log);
            queueToForget(log);
            View view = log.view();
            if (view.row().expiresAt() > 0) {
                arm(view.row().expiresAt());
            }
        }
    }

    private void queueToSeal(StreamLog log) {
        boolean settled = log.view().state() != StreamState.LIVE && !log.open().isEmpty();
        if (!log.queuedToSeal && (log.open().isFull() || settled)) {
            log.queuedToSeal = true;
            toSeal.addLast(log);
        }
    }

    private void gone(StreamLog log) {
        cached.remove(log);
        boolean readers = log.attached().count() > 0;
        if (readers) {
            linger.begin(log);
        }
        if (log.leavesRows()) {
            purges.addLast(new Purge(log.key(), Long.MAX_VALUE, true, readers ? log : null));
        }
    }

    void trimmed(StreamLog log, long firstSeq) {
        purges.addLast(new Purge(log.key(), firstSeq, false, null));
    }

    /** The last reader of a discarded stream left. Any thread. */
    void lingerEnded(StreamLog log) {
        linger.end(log);
        committer.nudge();
    }

    /** A stream was used. Writes the new deadline at most once per tenth of its life. Any thread. */
    void touched(StreamLog log, long now) {
        long ttl = log.view().row().ttlMillis();
        if (ttl > 0 && persistedDeadline(now, ttl) - log.view().row().expiresAt() > ttl / 10) {
            noted.add(log);
            committer.nudge();
        }
    }

    /** A stream was found expired before the alarm. Any thread. */
    void expireSoon(StreamLog log, long now) {
        if (!log.view().gone() && log.expired(now)) {
            noted.add(log);
            committer.nudge();
        }
    }

    /** The deadline that is written for a sliding life: later than the true one, so that a restart never shortens a life. */
    static long persistedDeadline(long now, long ttl) {
        return now + ttl + ttl / 10 + 1;
    }

    private void arm(long deadline) {
        if (deadline == 0 || (armedFor != 0 && armedFor <= deadline)) {
            return;
        }
        if (alarm != null) {
            alarm.cancel();
        }
        armedFor = deadline;
        long wait = Math.max(0, Math.min(deadline - time.wallMillis(), StreamLimits.MAX_ALARM.toMillis()));
        alarm = timers.after(Duration.ofMillis(wait), () -> {
            expiryDue.set(true);
            committer.nudge();
        });
    }

    @Override
    public List<Command<?>> due(boolean idle) {
        if (backoff.waiting()) {
            return List.of();
        }
        advanceReleasable();
        List<Command<?>> due = new ArrayList<>();
        List<StreamLog> sealing = chooseToSeal();
        if (!sealing.isEmpty()) {
            due.add(new Seal(sealing));
        }
        if (releasableBytes >= limits.trimStepBytes()) {
            due.add(new Release(releasableTo));
        }
        Purge purge = nextPurge();
        if (purge != null) {
            due.add(new Delete(purge));
        }
        if (!noted.isEmpty() || expiryDue.get()) {
            due.add(new Expire());
        }
        evictSome();
        return due;
    }

    private List<StreamLog> chooseToSeal() {
        List<StreamLog> chosen = new ArrayList<>();
        boolean pressed = pressed();
        long budget = StreamLimits.MAX_SEAL_BYTES_PER_BATCH + (pressed ? 2 * lastBatchBytes : 0);
        while (budget > 0 && !toSeal.isEmpty()) {
            StreamLog log = toSeal.removeFirst();
            log.queuedToSeal = false;
            if (!log.view().gone() && !log.open().isEmpty()) {
                chosen.add(log);
                budget -= log.open().payload();
            }
        }
        if (pressed) {
            Set<StreamLog> already = new HashSet<>(chosen);
            for (StreamLog log : held.values()) {
                if (budget <= 0 || chosen.size() >= MAX_SEALS_PER_BATCH) {
                    break;
                }
                if (already.add(log)) {
                    chosen.add(log);
                    budget -= log.open().payload();
                }
            }
        }
        return chosen;
    }

    /** Whether streams must be sealed early: the log or the memory of unsealed chunks reached its limit. */
    private boolean pressed() {
        return retainedBytes > limits.maxJournalBytes() - limits.trimStepBytes() || openBytes > limits.maxOpenBytes();
    }

    /** Moves the entries that no stream needs any more from retained to releasable. */
    private void advanceReleasable() {
        long lowWater = held.isEmpty() ? lastPosition : held.firstKey().position() - 1;
        while (!entries.isEmpty() && entries.peekFirst().position() <= lowWater) {
            Entry entry = entries.removeFirst();
            retainedBytes -= entry.bytes();
            releasableBytes += entry.bytes();
            releasableTo = entry.position();
        }
    }

    private @Nullable Purge nextPurge() {
        for (int i = purges.size(); i > 0; i--) {
            Purge purge = purges.removeFirst();
            if (purge.ready()) {
                return purge;
            }
            purges.addLast(purge);
        }
        return null;
    }

    private void evictSome() {
        for (int tries = MAX_EVICTIONS_PER_BATCH;
                tries > 0 && cached.size() > StreamEngine.MAX_CACHED_STREAMS;
                tries--) {
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
        return retainedBytes + releasableBytes;
    }

    /** Memory of all unsealed chunks. */
    public long openBytes() {
        return openBytes;
    }

    /** The log position up to which entries were released. */
    public long releasedTo() {
        return releasedTo;
    }

    /** Work of the engine's own: its failure is noted and retried later. */
    private abstract class Task extends Command<Boolean> {
        @Override
        protected void refused(HoldfastException error) {
            backoff.failed(error);
            retry();
        }

        abstract void retry();
    }

    /** Writes blocks of committed chunks. */
    private final class Seal extends Task {
        private final List<StreamLog> logs;

        Seal(List<StreamLog> logs) {
            this.logs = logs;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            boolean pressed = pressed();
            for (StreamLog log : logs) {
                if (!log.currentlyGone() && !log.open().isEmpty()) {
                    seal(scope, log, pressed || log.view().state() != StreamState.LIVE);
                }
            }
            return true;
        }

        /** Cuts the open block into full blocks; with {@code all}, the rest makes a smaller one. */
        private void seal(CommitScope scope, StreamLog log, boolean all) {
            OpenBlock open = log.open();
            byte[][] slots = open.slots();
            int count = Math.toIntExact(open.to() - open.from());
            int start = 0;
            long payload = 0;
            for (int i = 0; i < count; i++) {
                if (i > start && payload + slots[i].length > StreamLimits.MAX_BLOCK_BYTES) {
                    write(scope, log, start, i);
                    start = i;
                    payload = 0;
                }
                payload += slots[i].length;
            }
            if (start < count && (all || payload >= StreamLimits.MAX_BLOCK_BYTES)) {
                write(scope, log, start, count);
                start = count;
            }
            if (start > 0) {
                log.seal(scope, open.from() + start);
            }
        }

        private void write(CommitScope scope, StreamLog log, int start, int end) {
            OpenBlock open = log.open();
            if (open.from() + end <= log.currentRow().firstSeq()) {
                return; // trimmed before it was sealed: nobody would ever delete that block
            }
            List<byte[]> chunks = Arrays.asList(open.slots()).subList(start, end);
            scope.writes()
                    .insertBlock(new BlockRow(
                            log.key(), open.from() + start, open.from() + end, BlockFormat.encode(chunks)));
        }

        @Override
        void retry() {
            logs.forEach(Upkeep.this::queueToSeal);
        }
    }

    /** Releases the log's front. */
    private final class Release extends Task implements CommitScope.Staged {
        private final long upTo;
        private long reached;

        Release(long upTo) {
            this.upTo = upTo;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            reached = scope.writes().releaseLog(upTo);
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            releasedTo = reached;
            if (reached >= upTo && upTo == releasableTo) {
                releasableBytes = 0;
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {}
    }

    /** Deletes some blocks of a stream, and its row after the last. */
    private final class Delete extends Task implements CommitScope.Staged {
        private final Purge purge;
        private boolean more;

        Delete(Purge purge) {
            this.purge = purge;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            StoreTransaction writes = scope.writes();
            int deleted = writes.deleteBlocks(purge.key, purge.belowSeq, StreamLimits.MAX_DELETES_PER_BATCH);
            more = deleted == StreamLimits.MAX_DELETES_PER_BATCH;
            if (!more && purge.forGood) {
                int properties = writes.purgeProperties(Rows.owner(purge.key), StreamLimits.MAX_DELETES_PER_BATCH);
                more = properties == StreamLimits.MAX_DELETES_PER_BATCH;
                if (!more) {
                    writes.deleteStream(purge.key);
                }
            }
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            if (more) {
                purges.addFirst(purge);
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {
            purges.addLast(purge);
        }
    }

    /** Ends what expired, and writes later deadlines of what was used meanwhile. */
    private final class Expire extends Task implements CommitScope.Staged {
        private final List<StreamLog> taken = new ArrayList<>();
        private long next;
        private boolean swept;

        @Override
        protected Boolean decide(CommitScope scope) {
            for (StreamLog log = noted.poll(); log != null; log = noted.poll()) {
                taken.add(log);
            }
            taken.forEach(log -> endOrExtend(scope, log));
            swept = expiryDue.get();
            if (swept) {
                for (long key : scope.reads().expiredStreams(scope.now(), MAX_EXPIRIES_PER_BATCH)) {
                    StreamLog log = engine.find(scope, key);
                    if (log != null) {
                        endOrExtend(scope, log);
                    }
                }
                next = scope.reads().nextStreamExpiry();
            }
            scope.stage(this);
            return true;
        }

        private void endOrExtend(CommitScope scope, StreamLog log) {
            if (log.currentlyGone() || log.attached().evicted()) {
                return;
            }
            long ttl = log.view().row().ttlMillis();
            if (log.expired(scope.now())) {
                log.discard(scope);
            } else if (ttl > 0) {
                log.extendLife(scope, persistedDeadline(log.touchedAt(), ttl));
            }
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            if (swept) {
                expiryDue.set(false);
                armedFor = 0;
                arm(next);
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {
            noted.addAll(taken);
        }
    }
}
