package dev.holdfast.stream;

import dev.holdfast.store.Backoff;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the rows of discarded and trimmed streams, in bounded steps behind the commit that made them unreachable. A discarded stream that
 * still has readers keeps its rows until they are gone. Confined to the committer's thread.
 */
final class Purges {

    /** Blocks to delete; with {@code forGood} the row goes as well. */
    private record Purge(
            long key,
            long belowSeq,
            boolean forGood,
            @Nullable StreamLog lingering) {
        boolean ready() {
            return lingering == null
                    || lingering.attached().count() == 0
                    || lingering.attached().isCut();
        }
    }

    private final Backoff backoff;
    private final ArrayDeque<Purge> purges = new ArrayDeque<>();

    Purges(Backoff backoff) {
        this.backoff = backoff;
    }

    /** A discarded stream's blocks and row are to go, after the readers it may still have. */
    void discarded(long key, @Nullable StreamLog lingering) {
        purges.addLast(new Purge(key, Long.MAX_VALUE, true, lingering));
    }

    /** The blocks that end at or below {@code firstSeq} are to go. */
    void trimmed(long key, long firstSeq) {
        purges.addLast(new Purge(key, firstSeq, false, null));
    }

    /** The next step that is due, or null. */
    @Nullable
    UpkeepTask due() {
        for (int i = purges.size(); i > 0; i--) {
            Purge purge = purges.removeFirst();
            if (purge.ready()) {
                return new Delete(purge);
            }
            purges.addLast(purge);
        }
        return null;
    }

    /** Deletes some blocks of a stream, and its row after the last. */
    private final class Delete extends UpkeepTask implements CommitScope.Staged {
        private final Purge purge;
        private boolean more;

        Delete(Purge purge) {
            super(backoff);
            this.purge = purge;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            StoreTransaction writes = scope.writes();
            int deleted = writes.deleteBlocks(purge.key(), purge.belowSeq(), StreamLimits.MAX_DELETES_PER_BATCH);
            more = deleted == StreamLimits.MAX_DELETES_PER_BATCH;
            if (!more && purge.forGood()) {
                int properties = writes.purgeProperties(Rows.owner(purge.key()), StreamLimits.MAX_DELETES_PER_BATCH);
                more = properties == StreamLimits.MAX_DELETES_PER_BATCH;
                if (!more) {
                    writes.deleteStream(purge.key());
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
}
