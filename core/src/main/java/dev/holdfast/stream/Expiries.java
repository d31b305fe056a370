package dev.holdfast.stream;

import dev.holdfast.store.Alarm;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Ends streams whose life is over, and writes later deadlines of those that were used meanwhile.
 *
 * <p>A sliding life is kept in memory and written at most once per tenth of it. There is one timer, for the next deadline that is written
 * (IDLE-IS-SILENT). Confined to the committer's thread, but for the methods that say otherwise.
 */
final class Expiries {

    private static final int MAX_EXPIRIES_PER_BATCH = 256;

    private final StreamEngine engine;
    private final Committer committer;
    private final Backoff backoff;

    /** Streams seen expired or touched late, each once; filled by any thread. */
    private final ConcurrentLinkedQueue<StreamLog> noted = new ConcurrentLinkedQueue<>();

    private final Alarm alarm;

    Expiries(StreamEngine engine, Committer committer, Time time, Timers timers, Backoff backoff) {
        this.engine = engine;
        this.committer = committer;
        this.alarm = new Alarm(committer, time, timers);
        this.backoff = backoff;
    }

    /** The deadline that is written for a sliding life: later than the true one, so that a restart never shortens a life. */
    static long persistedDeadline(long now, long ttl) {
        return now + ttl + ttl / 10 + 1;
    }

    /** A stream was used. Writes the new deadline at most once per tenth of its life. Any thread. */
    void touched(StreamLog log, long now) {
        long ttl = log.view().row().ttlMillis();
        if (ttl > 0 && persistedDeadline(now, ttl) - log.view().row().expiresAt() > ttl / 10) {
            note(log);
        }
    }

    /** A stream was found expired before the alarm. Any thread. */
    void expireSoon(StreamLog log, long now) {
        if (!log.view().gone() && log.expired(now)) {
            note(log);
        }
    }

    private void note(StreamLog log) {
        boolean someoneComes = committer.poison() == null; // else the notes of all reads would stay for ever
        if (someoneComes && log.life().note(true)) {
            noted.add(log);
            committer.nudge();
        }
    }

    /** Something expires at this time; 0 if nothing does. */
    void arm(long deadline) {
        alarm.arm(deadline);
    }

    /** The sweep that is due, or null. */
    @Nullable
    UpkeepTask due() {
        return noted.isEmpty() && !alarm.rang() ? null : new Expire();
    }

    private final class Expire extends UpkeepTask implements CommitScope.Staged {
        private final List<StreamLog> taken = new ArrayList<>();
        private long next;
        private boolean swept;

        Expire() {
            super(backoff);
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            for (StreamLog log = noted.poll(); log != null; log = noted.poll()) {
                boolean unused =
                        log.life().note(false); // before its use is looked at, so that a later one is noted anew
                taken.add(log);
            }
            taken.forEach(log -> endOrExtend(scope, log));
            swept = alarm.rang();
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

        /** A stream may have left memory since it was noted: its use is remembered all the same. */
        private void endOrExtend(CommitScope scope, StreamLog noted) {
            StreamLog log = noted.attached().evicted() ? engine.find(scope, noted.key()) : noted;
            if (log == null || log.currentlyGone()) {
                return;
            }
            log.life().touch(noted.life().touchedAt());
            long ttl = log.view().row().ttlMillis();
            if (log.expired(scope.now())) {
                engine.discard(scope, log);
            } else if (ttl > 0) {
                RowChanges.extendLife(scope, log, persistedDeadline(log.life().touchedAt(), ttl));
            }
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            if (swept) {
                alarm.next(next);
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {
            taken.forEach(Expiries.this::note);
        }
    }
}
