package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.stream.StreamEngine;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Removes the rows of deleted sessions, a bounded number per transaction: first the streams that its deletion left, then everything else,
 * at last its own row. What a crash leaves is taken up at the next start. Nothing runs by a clock (IDLE-IS-SILENT). Confined to the
 * committer's thread.
 */
final class SessionUpkeep implements Maintenance {

    private final StreamEngine streams;
    private final Backoff backoff;
    private final ArrayDeque<Long> deleted = new ArrayDeque<>();

    SessionUpkeep(StreamEngine streams) {
        this.streams = streams;
        this.backoff = new Backoff("Deletion of sessions", streams.committer(), streams.time(), streams.timers());
    }

    /** Takes up what an earlier process left. */
    void start(StoreReads reads) {
        deleted.addAll(reads.deletedSessions(Integer.MAX_VALUE));
    }

    /** The session was deleted, and that is durable. */
    void deleted(long sessionKey) {
        deleted.addLast(sessionKey);
    }

    @Override
    public List<Command<?>> due(boolean idle) {
        if (deleted.isEmpty() || backoff.waiting()) {
            return List.of();
        }
        return List.of(new Purge(deleted.removeFirst()));
    }

    /** Discards streams of a session, at most a batch; returns how many. */
    static int discardStreams(CommitScope scope, StreamEngine streams, long sessionKey) {
        List<Long> keys = scope.reads().streamsOwnedBy(sessionKey, SessionLimits.DISCARDED_STREAMS_PER_BATCH);
        for (long key : keys) {
            streams.discard(scope, key);
        }
        return keys.size();
    }

    private final class Purge extends Command<Boolean> implements CommitScope.Staged {
        private final long key;
        private boolean more;

        Purge(long key) {
            this.key = key;
        }

        @Override
        protected boolean freesSpace() {
            return true;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            more = true;
            if (discardStreams(scope, streams, key) == 0) {
                int limit = SessionLimits.PURGED_ROWS_PER_BATCH;
                more = scope.writes().purgeSession(key, limit) == limit;
                if (!more) {
                    scope.writes().deleteSession(key);
                }
            }
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            if (more) {
                deleted.addFirst(key);
            }
        }

        @Override
        public void discard() {}

        @Override
        protected void refused(HoldfastException error) {
            deleted.addLast(key);
            backoff.failed(error);
        }
    }
}
