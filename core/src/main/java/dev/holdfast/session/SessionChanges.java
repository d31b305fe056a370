package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.stream.StreamEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells those who wait for sessions what became of them, after the commit, so nobody hears of what may still be undone (VISIBLE-IS-DURABLE).
 *
 * <p>Methods with a {@link CommitScope} belong to the committer's thread, inside a command; the others to any thread.
 */
final class SessionChanges {

    private final StreamEngine streams;
    private final SessionUpkeep upkeep;
    private final FeedSignals signals = new FeedSignals();
    private final List<LongConsumer> whenDeleted = new CopyOnWriteArrayList<>();

    /** What the running batch does; the committer's thread. */
    private @Nullable Batch batch;

    SessionChanges(StreamEngine streams, SessionUpkeep upkeep) {
        this.streams = streams;
        this.upkeep = upkeep;
    }

    /** A session's feed has more events. */
    void grew(CommitScope scope, long sessionKey) {
        batch(scope).grown.add(sessionKey);
    }

    /** A session is deleted. */
    void deleted(CommitScope scope, long sessionKey) {
        batch(scope).deleted.add(sessionKey);
    }

    FeedWatch watch(long sessionKey) {
        if (signals.closed()) {
            throw new Closed(
                    "Nothing more is told here of any session: Holdfast was closed, or this shard is another node's now.");
        }
        return signals.watch(sessionKey);
    }

    /** As {@link SessionEngine#onDeleted}. */
    void onDeleted(LongConsumer listener) {
        whenDeleted.add(listener);
    }

    /** Looks at the feeds that are watched here and may have changed; only for a shard that another node writes. */
    synchronized void look(LongPredicate changed) {
        Map<Long, Long> ends = streams.store().read(reads -> {
            Map<Long, Long> found = new HashMap<>();
            for (long key : signals.watched()) {
                if (changed.test(key)) {
                    boolean gone =
                            reads.session(key).filter(row -> !row.deleted()).isEmpty();
                    found.put(key, gone ? FeedSignals.GONE : reads.feedNext(key));
                }
            }
            return found;
        });
        ends.forEach(signals::reached);
    }

    /** Whether no feed is watched here. */
    boolean isUnwatched() {
        return signals.watchedSessions() == 0;
    }

    /** Ends the waits of all who watch feeds. */
    void close() {
        signals.close();
    }

    private Batch batch(CommitScope scope) {
        Batch open = batch;
        if (open == null) {
            open = new Batch();
            batch = open;
            scope.stage(open);
        }
        return open;
    }

    /** What one batch did to sessions. */
    private final class Batch implements CommitScope.Staged {
        private final Set<Long> grown = new LinkedHashSet<>();
        private final List<Long> deleted = new ArrayList<>();

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            batch = null;
            grown.forEach(signals::grew);
            deleted.forEach(signals::gone);
            grown.forEach(streams::changed);
            deleted.forEach(streams::changed);
            deleted.forEach(upkeep::deleted);
        }

        @Override
        public void discard() {
            batch = null;
        }

        @Override
        public void wake() {
            grown.forEach(signals::wake);
            for (long key : deleted) {
                signals.wake(key);
                whenDeleted.forEach(listener -> listener.accept(key));
            }
        }
    }
}
