package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path from its end towards the root. Each window finds its place anew: the parent that the message read last has now or, if that message
 * was deleted meanwhile, what is left of the path above it. A message counts as the one seen before if both its id and its number are the
 * same, since numbers of deleted messages can be given again.
 */
final class NewestFirst extends History {

    private final Session session;
    private final @Nullable String leafId;

    /** The messages read first and last, and the one after that; null before the first window or behind the root. */
    private @Nullable MessageRow first;

    private @Nullable MessageRow previous;
    private @Nullable MessageRow ahead;

    NewestFirst(Session session, @Nullable String leafId) {
        this.session = session;
        this.leafId = leafId;
    }

    @Override
    List<Message> readWindow() {
        return session.read(this::read);
    }

    private List<Message> read(StoreReads reads, SessionRow row) {
        List<Message> window = new ArrayList<>();
        Budget budget = new Budget();
        MessagePath.Walk walk = new MessagePath.Walk(reads, row, start(reads, row));
        MessageRow next = walk.peek();
        while (next != null && budget.take(next.bytes())) {
            walk.next();
            MessageRow parent = walk.peek();
            window.add(MessagePath.message(reads, next, parent == null ? null : parent.id()));
            if (first == null) {
                first = next;
            }
            previous = next;
            next = parent;
        }
        ahead = next;
        return window;
    }

    /** The number of the message to go on with; 0 for none. */
    private long start(StoreReads reads, SessionRow row) {
        MessageRow last = previous;
        MessageRow leaf = first;
        if (last == null || leaf == null) {
            return leafId == null
                    ? reads.activeLeaf(row.key()).map(MessageRow::seq).orElse(0L)
                    : Session.require(reads, row, leafId).seq();
        }
        MessageRow now = again(reads, last);
        if (now != null) {
            return now.parentSeq();
        }
        MessageRow next = ahead;
        if (next == null) {
            return 0;
        }
        if (again(reads, next) != null) {
            return next.seq();
        }
        if (again(reads, leaf) != null) {
            return firstBelow(new MessagePath.Walk(reads, row, leaf.seq()), last.seq());
        }
        throw new MessageNotFound(row.id(), last.id());
    }

    private static @Nullable MessageRow again(StoreReads reads, MessageRow seen) {
        return reads.message(seen.sessionKey(), seen.id())
                .filter(row -> row.seq() == seen.seq())
                .orElse(null);
    }

    private static long firstBelow(MessagePath.Walk walk, long seq) {
        MessageRow row = walk.next();
        while (row != null && row.seq() >= seq) {
            row = walk.next();
        }
        return row == null ? 0 : row.seq();
    }
}
