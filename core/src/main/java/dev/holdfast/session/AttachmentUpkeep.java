package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Alarm;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.List;

/**
 * Deletes attachments that no message names, once their deadline has passed, a bounded number per transaction. There is one timer, for the earliest
 * deadline of all, and none while there is no such attachment (IDLE-IS-SILENT). Confined to the committer's thread.
 */
final class AttachmentUpkeep implements Maintenance {

    private final Backoff backoff;
    private final Alarm alarm;

    AttachmentUpkeep(Committer committer, Time time, Timers timers) {
        this.backoff = new Backoff("Deletion of attachments", committer, time, timers);
        this.alarm = new Alarm(committer, time, timers);
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        alarm.arm(reads.nextBlobExpiry());
    }

    /** The deadlines may be others, once this is committed. */
    void arm(CommitScope scope) {
        long next = scope.reads().nextBlobExpiry();
        scope.stage(new CommitScope.Staged() {
            @Override
            public void apply(StoreTransaction.Receipt receipt) {
                alarm.arm(next);
            }

            @Override
            public void discard() {}
        });
    }

    @Override
    public List<Command<?>> due(boolean idle) {
        return !alarm.rang() || backoff.waiting() ? List.of() : List.of(new Sweep());
    }

    private final class Sweep extends Command<Boolean> implements CommitScope.Staged {
        private boolean more;
        private long next;

        @Override
        protected boolean freesSpace() {
            return true;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            int limit = SessionLimits.EXPIRED_ATTACHMENTS_PER_BATCH;
            List<Long> expired = scope.reads().expiredBlobs(scope.now(), limit);
            expired.forEach(key -> scope.writes().deleteBlob(key));
            more = expired.size() == limit;
            next = scope.reads().nextBlobExpiry();
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            if (!more) {
                alarm.next(next);
            }
        }

        @Override
        public void discard() {}

        @Override
        protected void refused(HoldfastException error) {
            backoff.failed(error);
        }
    }
}
