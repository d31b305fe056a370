package dev.holdfast.stream;

import dev.holdfast.store.Alarm;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Trims streams to what their {@link Retention} keeps.
 *
 * <p><b>Bytes.</b> A block knows how many bytes of the stream lie before its end, so the oldest ones that are too much are found without
 * counting; this is done in the transaction that seals a block.
 *
 * <p><b>Age.</b> A block knows when its newest chunk was appended, and goes when that is too old. So that its oldest chunk does not stay much
 * longer, a stream that retains by age seals what is open after an eighth of that age, full or not. The row says when the oldest block is due,
 * so streams that left memory, and restarts, need no more than a look at the earliest of these times. There is one timer, while anything is
 * retained by age (IDLE-IS-SILENT).
 *
 * <p>Confined to the committer's thread.
 */
final class Retaining {

    private static final int MAX_STREAMS_PER_BATCH = 256;

    private record Due(long at, long key) {}

    private final StreamEngine engine;
    private final Time time;
    private final Backoff backoff;
    private final Sealing sealing;
    private final Alarm alarm;

    /** Streams whose open chunks must be sealed some time, by that time. */
    private final TreeMap<Due, StreamLog> aging =
            new TreeMap<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::key));

    Retaining(StreamEngine engine, Committer committer, Time time, Timers timers, Sealing sealing, Backoff backoff) {
        this.engine = engine;
        this.time = time;
        this.sealing = sealing;
        this.backoff = backoff;
        this.alarm = new Alarm(committer, time, timers);
    }

    /** How much time may lie between the chunks of a block, ms; 0 for any. */
    static long maxSpan(StreamRow.Retained retained) {
        return retained.maxAgeMillis() / StreamLimits.SEALS_PER_RETAINED_AGE;
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        alarm.arm(reads.nextStreamTrim());
    }

    /** A stream's row or open block changed. */
    void changed(StreamLog log, boolean gone) {
        if (!log.limitsAge()) {
            return;
        }
        StreamRow.Retained retained = log.committedRow().retained();
        if (retained.maxAgeMillis() > 0) {
            long sealAt = gone || log.open().isEmpty() ? 0 : log.open().since() + maxSpan(retained);
            move(log, sealAt);
        }
        if (!gone) {
            alarm.arm(retained.trimAt());
        }
    }

    private void move(StreamLog log, long sealAt) {
        if (sealAt != log.sealAt) {
            aging.remove(new Due(log.sealAt, log.key()));
            log.sealAt = sealAt;
            if (sealAt > 0) {
                aging.put(new Due(sealAt, log.key()), log);
                alarm.arm(sealAt);
            }
        }
    }

    /** Lets what is open for too long be sealed with the next batch. */
    void queueOld() {
        if (alarm.rang()) {
            for (StreamLog log : aging.headMap(new Due(time.wallMillis(), Long.MAX_VALUE), true)
                    .values()) {
                sealing.queueNow(log);
            }
        }
    }

    /** The trim that is due, or null. */
    @Nullable
    UpkeepTask due() {
        return alarm.rang() ? new Trim() : null;
    }

    /** Makes unreadable what a stream's retention does not keep, at most some blocks; what is left is due at once. */
    static void trim(CommitScope scope, StreamLog log) {
        StreamRow row = log.currentRow();
        StreamRow.Retained retained = row.retained();
        if (!retained.limits()) {
            return;
        }
        long first = row.firstSeq();
        for (int i = 0; i < StreamLimits.MAX_TRIMMED_BLOCKS_PER_BATCH; i++) {
            List<BlockInfo> oldest = scope.reads().blocks(log.lineage().keyOf(first, log.key()), first, 1);
            if (oldest.isEmpty()) {
                RowChanges.retain(scope, log, first, 0);
                return;
            }
            BlockInfo block = oldest.getFirst();
            if (isKept(block, retained, scope.now())) {
                long age = retained.maxAgeMillis();
                RowChanges.retain(scope, log, first, age == 0 ? 0 : block.lastAt() + age);
                return;
            }
            first = Math.min(block.toSeq(), log.lineage().endOf(first));
        }
        RowChanges.retain(scope, log, first, scope.now());
    }

    private static boolean isKept(BlockInfo block, StreamRow.Retained retained, long now) {
        boolean tooOld = retained.maxAgeMillis() > 0 && block.lastAt() + retained.maxAgeMillis() <= now;
        boolean tooMuch = retained.maxBytes() > 0 && retained.sealedBytes() - block.bytesTo() >= retained.maxBytes();
        return !tooOld && !tooMuch;
    }

    private final class Trim extends UpkeepTask implements CommitScope.Staged {
        private long next;

        Trim() {
            super(backoff);
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            for (long key : scope.reads().trimmableStreams(scope.now(), MAX_STREAMS_PER_BATCH)) {
                StreamLog log = engine.find(scope, key);
                if (log != null) {
                    trim(scope, log);
                }
            }
            next = scope.reads().nextStreamTrim();
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            alarm.next(next);
            if (!aging.isEmpty()) {
                alarm.arm(aging.firstKey().at());
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {} // it stays due
    }
}
