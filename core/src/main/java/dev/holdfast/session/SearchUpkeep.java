package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.WordsRow;
import dev.holdfast.stream.StreamEngine;
import java.util.List;
import java.util.Optional;

/**
 * Makes messages findable that an earlier version wrote, and gives their sessions titles: a bounded number per transaction, from where a crash
 * left off. Confined to the committer's thread.
 */
final class SearchUpkeep implements Maintenance {

    private final MessageContents contents;
    private final Backoff backoff;
    private boolean more;

    SearchUpkeep(StreamEngine streams, MessageContents contents) {
        this.contents = contents;
        this.backoff =
                new Backoff("Taking up messages for the search", streams.committer(), streams.time(), streams.timers());
    }

    /** Takes up what an earlier version or process left. */
    void start(StoreReads reads) {
        more = !reads.withoutWords(1).isEmpty();
    }

    @Override
    public List<Command<?>> due(boolean idle) {
        return more && !backoff.waiting() ? List.of(new Step()) : List.of();
    }

    private final class Step extends Command<Boolean> implements CommitScope.Staged {
        private boolean left;

        @Override
        protected Boolean decide(CommitScope scope) {
            List<MessageRow> rows = scope.reads().withoutWords(SessionLimits.INDEXED_MESSAGES_PER_BATCH);
            long bytes = 0;
            MessageRow last = null;
            for (MessageRow row : rows) {
                if (last != null && bytes + row.bytes() > SessionLimits.INDEXED_BYTES_PER_BATCH) {
                    break;
                }
                bytes += row.bytes();
                last = row;
                take(scope, row);
            }
            left = last != null;
            if (last != null) {
                scope.writes().passedOver(last);
            }
            scope.stage(this);
            return true;
        }

        private void take(CommitScope scope, MessageRow row) {
            Optional<SessionRow> session =
                    scope.reads().session(row.sessionKey()).filter(found -> !found.deleted());
            if (session.isEmpty()) {
                return;
            }
            String text;
            try {
                text = contents.text(scope.reads().messageContent(row.sessionKey(), row.seq()));
            } catch (StoreDamaged e) {
                return; // who reads it is told
            }
            scope.writes().putWords(new WordsRow(row.sessionKey(), row.seq(), row.createdAt(), Words.toIndex(text)));
            boolean begins = row.parentSeq() == 0 && row.role().equals(Titles.ROLE);
            if (begins && session.get().title() == null && isFirst(scope, row)) {
                scope.writes().updateSession(session.get().titled(Titles.of(text)));
            }
        }

        private static boolean isFirst(CommitScope scope, MessageRow row) {
            return scope.reads().children(row.sessionKey(), 0, 1).getFirst().seq() == row.seq();
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            more = left;
        }

        @Override
        public void discard() {}

        @Override
        protected void refused(HoldfastException error) {
            backoff.failed(error);
        }
    }
}
