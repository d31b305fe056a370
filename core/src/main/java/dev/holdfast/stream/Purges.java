package dev.holdfast.stream;

import dev.holdfast.store.Backoff;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the rows of discarded and trimmed streams, in bounded steps behind the commit that made them unreachable. A discarded stream that
 * still has readers keeps its rows until they are gone, and so do the streams that it was forked
 * from. Confined to the committer's thread, but for {@link #lingerOver}.
 */
final class Purges {

    /** Blocks to delete; with {@code forGood} the row goes as well. */
    private record Purge(long key, long belowSeq, boolean forGood) {}

    private final Backoff backoff;
    private final ArrayDeque<Purge> purges = new ArrayDeque<>();

    /** Streams that are gone, but whose readers go on for a while. */
    private final Set<StreamLog> lingering = new HashSet<>();

    /** For each stream, how many of the lingering ones read its blocks. */
    private final Map<Long, Integer> needed = new HashMap<>();

    /** Streams that linger no more; filled by any thread. */
    private final ConcurrentLinkedQueue<StreamLog> over = new ConcurrentLinkedQueue<>();

    Purges(Backoff backoff) {
        this.backoff = backoff;
    }

    /** A discarded stream's blocks and row are to go. */
    void discarded(long key) {
        purges.addLast(new Purge(key, Long.MAX_VALUE, true));
    }

    /** A stream is gone, but readers go on for a while; they may need its blocks, and those of the streams it was forked from. */
    void lingers(StreamLog log) {
        lingering.add(log);
        keysRead(log).forEach(key -> needed.merge(key, 1, Integer::sum));
    }

    /** The readers of a stream that is gone have left or were cut. Any thread. */
    void lingerOver(StreamLog log) {
        over.add(log);
    }

    private void forgetLingering() {
        for (StreamLog log = over.poll(); log != null; log = over.poll()) {
            if (lingering.remove(log)) {
                keysRead(log).forEach(key -> needed.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1));
            }
        }
    }

    private static Set<Long> keysRead(StreamLog log) {
        Set<Long> keys = new HashSet<>();
        keys.add(log.key());
        log.lineage().runs().forEach(run -> keys.add(run.key()));
        return keys;
    }

    /** The blocks that end at or below {@code firstSeq} are to go. */
    void trimmed(long key, long firstSeq) {
        purges.addLast(new Purge(key, firstSeq, false));
    }

    /** The next step that is due, or null. */
    @Nullable
    UpkeepTask due() {
        forgetLingering();
        for (int i = purges.size(); i > 0; i--) {
            Purge purge = purges.removeFirst();
            if (!needed.containsKey(purge.key())) {
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
