package dev.holdfast.session;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A path from its root. A path can only be walked from its end, so the first window notes which messages it has, sixteen bytes each;
 * contents are read a window at a time. What was deleted meanwhile is passed over; deletion moves children up but never off the path.
 */
final class RootFirst extends History {

    private final Session session;
    private final @Nullable String leafId;
    private MessagePath.@Nullable Noted path;
    private int at;

    RootFirst(Session session, @Nullable String leafId) {
        this.session = session;
        this.leafId = leafId;
    }

    @Override
    List<Message> readWindow() {
        return session.read(this::read);
    }

    private List<Message> read(StoreReads reads, SessionRow row) {
        MessagePath.Noted noted = path;
        if (noted == null) {
            noted = end(reads, row)
                    .map(leaf -> MessagePath.noted(reads, row, leaf))
                    .orElseGet(MessagePath.Noted::new);
            path = noted;
        }
        List<Message> window = new ArrayList<>();
        Budget budget = new Budget();
        MessageRow previous = null;
        for (; at < noted.size(); at++) {
            MessageRow message = noted.find(reads, row.key(), at);
            if (message != null) {
                if (!budget.take(message.bytes())) {
                    break;
                }
                String parent = previous != null && message.parentSeq() == previous.seq()
                        ? previous.id()
                        : MessagePath.parentId(reads, message);
                window.add(MessagePath.message(reads, message, parent));
                previous = message;
            }
        }
        return window;
    }

    private Optional<MessageRow> end(StoreReads reads, SessionRow row) {
        return leafId == null ? reads.activeLeaf(row.key()) : Optional.of(Session.require(reads, row, leafId));
    }
}
