package dev.holdfast.session;

import dev.holdfast.cluster.Request;
import dev.holdfast.store.SessionRow;
import java.util.List;

/** The calls on attachments that the node which may write a shard makes for the others. */
final class AttachmentCalls {

    private AttachmentCalls() {}

    /** All of them. */
    static List<Class<? extends Record>> all() {
        return List.of(Put.class, Begin.class, Add.class, End.class, Abandon.class);
    }

    private static Attachments of(SessionEngine engine, SessionRow session) {
        return new Session(engine, session).attachments();
    }

    record Put(SessionRow session, NewAttachment attachment) implements Request<SessionEngine, Attachment> {
        @Override
        public Attachment on(SessionEngine engine) {
            return of(engine, session).putWhole(attachment);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Begin(SessionRow session, AttachmentDraft draft, byte[] piece) implements Request<SessionEngine, Long> {
        @Override
        public Long on(SessionEngine engine) {
            return of(engine, session).begin(draft, piece);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Add(SessionRow session, long key, int number, byte[] piece) implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            return of(engine, session).add(key, number, piece);
        }
    }

    record End(SessionRow session, long key, String id, long size) implements Request<SessionEngine, Attachment> {
        @Override
        public Attachment on(SessionEngine engine) {
            return of(engine, session).end(key, id, size);
        }
    }

    record Abandon(SessionRow session, long key) implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            return of(engine, session).abandon(key);
        }
    }
}
