package dev.holdfast.session;

import dev.holdfast.cluster.Request;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.session.PropertyWrite.Notice;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.SessionRow;
import java.util.ArrayList;
import java.util.List;

/** The calls on sessions that the node which may write a shard makes for the others. Their names and components are what nodes send each other. */
public final class SessionCalls {

    private SessionCalls() {}

    /** All of them. */
    public static List<Class<? extends Record>> all() {
        List<Class<? extends Record>> all = new ArrayList<>(AttachmentCalls.all());
        all.addAll(List.of(
                Create.class,
                Delete.class,
                Add.class,
                Upsert.class,
                DeleteMessages.class,
                Clear.class,
                SetTitle.class,
                PutProperty.class,
                DeleteProperty.class,
                ChangeProperties.class,
                PutOverlay.class,
                DeleteOverlay.class));
        return List.copyOf(all);
    }

    record Create(String tenant, String id) implements Request<SessionEngine, SessionRow> {
        @Override
        public SessionRow on(SessionEngine engine) {
            return new Sessions(engine, tenant).create(id).row();
        }
    }

    record Delete(String tenant, String id) implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            return new Sessions(engine, tenant).delete(id);
        }
    }

    record Add(SessionRow session, MessageDraft draft) implements Request<SessionEngine, PutResult> {
        @Override
        public PutResult on(SessionEngine engine) {
            return new Session(engine, session).append(draft);
        }
    }

    record Upsert(SessionRow session, MessageDraft draft) implements Request<SessionEngine, PutResult> {
        @Override
        public PutResult on(SessionEngine engine) {
            return new Session(engine, session).upsert(draft);
        }
    }

    record DeleteMessages(SessionRow session, List<String> ids) implements Request<SessionEngine, Integer> {
        @Override
        public Integer on(SessionEngine engine) {
            return new Session(engine, session).delete(ids);
        }
    }

    record Clear(SessionRow session) implements Request<SessionEngine, Integer> {
        @Override
        public Integer on(SessionEngine engine) {
            return new Session(engine, session).clear();
        }
    }

    record SetTitle(SessionRow session, String title) implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            new Session(engine, session).title(title);
            return true;
        }
    }

    record PutProperty(Owner owner, PropertyWrite write) implements Request<SessionEngine, Long> {
        @Override
        public Long on(SessionEngine engine) {
            return new Properties(engine, owner).put(write);
        }
    }

    record DeleteProperty(Owner owner, String name, Condition condition, Notice notice)
            implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            return new Properties(engine, owner).delete(name, condition, notice);
        }
    }

    record PutOverlay(SessionRow session, String from, String to, String summary)
            implements Request<SessionEngine, Overlay> {
        @Override
        public Overlay on(SessionEngine engine) {
            return new Session(engine, session).overlays().put(from, to, summary);
        }
    }

    record DeleteOverlay(SessionRow session, String id) implements Request<SessionEngine, Boolean> {
        @Override
        public Boolean on(SessionEngine engine) {
            return new Session(engine, session).overlays().delete(id);
        }
    }

    record ChangeProperties(Owner owner, List<PropertyChange> changes) implements Request<SessionEngine, List<Long>> {
        @Override
        public List<Long> on(SessionEngine engine) {
            return new Properties(engine, owner).change(changes);
        }
    }
}
