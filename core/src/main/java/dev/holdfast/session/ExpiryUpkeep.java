package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Alarm;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.stream.StreamEngine;
import java.util.List;

/**
 * Deletes rows of one kind whose deadline has passed, a bounded number per transaction. There is one timer, for the earliest deadline of all, and none
 * while nothing expires (IDLE-IS-SILENT). Confined to the committer's thread.
 */
final class ExpiryUpkeep implements Maintenance {

    private final Kind kind;
    private final Backoff backoff;
    private final Alarm alarm;

    /** What expires. */
    private interface Kind {

        /** The earliest deadline of all, 0 if nothing expires. */
        long next(StoreReads reads);

        /** Deletes what has expired, as much as one transaction may; returns whether there may be more. */
        boolean sweep(CommitScope scope);
    }

    private ExpiryUpkeep(String what, StreamEngine streams, Kind kind) {
        this.kind = kind;
        this.backoff = new Backoff(what, streams.committer(), streams.time(), streams.timers());
        this.alarm = new Alarm(streams.committer(), streams.time(), streams.timers());
    }

    /** Of properties that have a life. */
    static ExpiryUpkeep ofProperties(StreamEngine streams) {
        return new ExpiryUpkeep("Expiry of properties", streams, new Kind() {
            @Override
            public long next(StoreReads reads) {
                return reads.nextPropertyExpiry();
            }

            @Override
            public boolean sweep(CommitScope scope) {
                int limit = SessionLimits.EXPIRED_PROPERTIES_PER_BATCH;
                List<PropertyRow> expired = scope.reads().expiredProperties(scope.now(), limit);
                expired.forEach(row -> scope.writes().deleteProperty(row.owner(), row.name()));
                return expired.size() == limit;
            }
        });
    }

    /** Of attachments that no message names. */
    static ExpiryUpkeep ofAttachments(StreamEngine streams) {
        return new ExpiryUpkeep("Deletion of attachments", streams, new Kind() {
            @Override
            public long next(StoreReads reads) {
                return reads.nextBlobExpiry();
            }

            @Override
            public boolean sweep(CommitScope scope) {
                int limit = SessionLimits.EXPIRED_ATTACHMENTS_PER_BATCH;
                List<Long> expired = scope.reads().expiredBlobs(scope.now(), limit);
                expired.forEach(key -> scope.writes().deleteBlob(key));
                return expired.size() == limit;
            }
        });
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        alarm.arm(kind.next(reads));
    }

    /** The earliest deadline may be another one, once this is committed. */
    void arm(CommitScope scope) {
        arm(scope, kind.next(scope.reads()));
    }

    /** There is this deadline as well, once this is committed. */
    void arm(CommitScope scope, long deadline) {
        scope.stage(new CommitScope.Staged() {
            @Override
            public void apply(StoreTransaction.Receipt receipt) {
                alarm.arm(deadline);
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
            more = kind.sweep(scope);
            next = kind.next(scope.reads());
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
