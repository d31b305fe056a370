package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A path from its end towards the root. Each window finds the message read last again and goes on with its parent. */
final class NewestFirst extends History {

    private final Session session;
    private final @Nullable String leafId;

    /** The message read last; null before the first. */
    private @Nullable MessageRow previous;

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
            previous = next;
            next = parent;
        }
        return window;
    }

    /** The number of the message to go on with; 0 for none. */
    private long start(StoreReads reads, SessionRow row) {
        MessageRow last = previous;
        if (last == null) {
            return leafId == null
                    ? reads.activeLeaf(row.key()).map(MessageRow::seq).orElse(0L)
                    : Session.require(reads, row, leafId).seq();
        }
        Optional<MessageRow> now = reads.message(row.key(), last.id()).filter(found -> found.seq() == last.seq());
        if (now.isPresent()) {
            return now.get().parentSeq();
        }
        if (last.parentSeq() == 0 || reads.message(row.key(), last.parentSeq()).isPresent()) {
            return last.parentSeq();
        }
        throw new MessageNotFound(row.id(), last.id());
    }
}
