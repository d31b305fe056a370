package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Alarm;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.List;

/**
 * Deletes expired properties, a bounded number per transaction. There is one timer, for the earliest deadline of all, and none while nothing
 * expires (IDLE-IS-SILENT). Confined to the committer's thread.
 */
final class PropertyUpkeep implements Maintenance {

    private final Backoff backoff;
    private final Alarm alarm;

    PropertyUpkeep(Committer committer, Time time, Timers timers) {
        this.backoff = new Backoff("Expiry of properties", committer, time, timers);
        this.alarm = new Alarm(committer, time, timers);
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        arm(reads.nextPropertyExpiry());
    }

    /** A property expires then, if the deadline is not 0. */
    void arm(long deadline) {
        alarm.arm(deadline);
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
            List<PropertyRow> expired =
                    scope.reads().expiredProperties(scope.now(), SessionLimits.EXPIRED_PROPERTIES_PER_BATCH);
            for (PropertyRow row : expired) {
                scope.writes().deleteProperty(row.owner(), row.name());
            }
            more = expired.size() == SessionLimits.EXPIRED_PROPERTIES_PER_BATCH;
            next = scope.reads().nextPropertyExpiry();
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
