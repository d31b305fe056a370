package dev.holdfast.stream;

import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;
import org.jspecify.annotations.Nullable;

/** How a stream ends: settled, discarded, or gone for everyone but its forks. Committer's thread. */
final class Endings {

    private Endings() {}

    /** Stages the outcome; the caller checked that the stream is live, and writes the row. */
    static void settle(CommitScope scope, StreamLog log, StreamState outcome, @Nullable String error) {
        Staging s = log.staging(scope);
        s.row = Rows.edit(s.row)
                .state(outcome == StreamState.COMPLETED ? StreamRow.State.COMPLETED : StreamRow.State.ERRORED)
                .error(error == null ? null : Names.shortened(error, StreamLimits.MAX_REASON_BYTES))
                .closedAt(scope.now())
                .updatedAt(scope.now())
                .tail(s.tail)
                .lastAppendAt(s.chunks().isEmpty() ? log.lastAppendAt() : scope.now())
                .marks(s.marks().encode())
                .row();
    }

    /** Settles a live stream, and discards it if asked. The caller checked that it is live. */
    static SettleResult settle(CommitScope scope, StreamLog log, Settlement settlement, Forks forks) {
        if (!settlement.lastChunks().isEmpty()) {
            AppendResult unused = log.append(scope, AppendRequest.of(settlement.lastChunks()));
        }
        settle(scope, log, settlement.outcome(), settlement.error());
        if (settlement.fate() == Settlement.Fate.DISCARD) {
            discard(scope, log, forks);
        } else {
            scope.writes().updateStream(log.staging(scope).row);
        }
        return new SettleResult(true, settlement.outcome(), log.currentTail());
    }

    /**
     * Ends the stream for everyone new, at constant cost: a stream without blocks loses its row, another keeps a tombstone. One that has forks
     * keeps row, name and blocks until the last of them is gone. One that is a fork gives up its hold on its source.
     */
    static void discard(CommitScope scope, StreamLog log, Forks forks) {
        Staging s = log.staging(scope);
        s.gone = true;
        int purged = scope.writes().purgeProperties(Rows.owner(log.key()), StreamLimits.MAX_DELETES_PER_BATCH);
        if (s.row.kin().forks() > 0) {
            s.leavesName = true;
            write(scope, s, StreamRow.State.DELETED);
            return;
        }
        boolean ownBlocks = s.sealedTo > log.lineage().inheritedTo();
        s.leavesRows = ownBlocks || purged == StreamLimits.MAX_DELETES_PER_BATCH || log.isFollowed();
        if (s.leavesRows) {
            write(scope, s, StreamRow.State.DISCARDED);
        } else {
            scope.writes().deleteStream(log.key());
        }
        forks.release(scope, s.row.kin().source());
    }

    /** Only the stored row says that it is gone; readers that linger are shown what the stream declared before. */
    private static void write(CommitScope scope, Staging s, StreamRow.State state) {
        scope.writes()
                .updateStream(Rows.edit(s.row)
                        .state(state)
                        .tail(s.tail)
                        .updatedAt(scope.now())
                        .row());
    }
}
