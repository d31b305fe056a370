package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.session.Attachments;
import dev.holdfast.session.CompactedHistory;
import dev.holdfast.session.Message;
import dev.holdfast.session.Overlay;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import java.util.List;
import java.util.Optional;

/** What a turn sees of its session. */
record TurnSession(SessionEngine sessions, TurnRow row) {

    /** The conversation up to the message that the turn answers. */
    List<Message> history(long maxBytes) {
        return store().read(reads -> {
            SessionRow session = session(reads);
            String leaf = row.userMessageId();
            return leaf == null ? List.of() : sessions.path(reads, session, leaf, maxBytes);
        });
    }

    /** The same as a model reads it. */
    CompactedHistory conversation(long maxBytes) {
        return store().read(reads -> {
            SessionRow session = session(reads);
            String leaf = row.userMessageId();
            return leaf == null
                    ? new CompactedHistory(List.of(), false, 0)
                    : sessions.compacted(reads, session, leaf, maxBytes);
        });
    }

    Overlay fold(String from, String to, String summary) {
        return sessions.overlaysOf(store().read(this::session)).put(from, to, summary);
    }

    Attachments attachments() {
        return sessions.attachmentsOf(store().read(this::session));
    }

    /** The message that the turn writes, if it wrote any of it. */
    Optional<Message> written() {
        return store().read(reads -> reads.session(row.sessionKey())
                .flatMap(session -> SessionEngine.message(reads, session, row.messageId())));
    }

    private Store store() {
        return sessions.streams().store();
    }

    private SessionRow session(StoreReads reads) {
        return reads.session(row.sessionKey()).orElseThrow(() -> new TurnNotFound("#" + row.sessionKey(), row.id()));
    }
}
