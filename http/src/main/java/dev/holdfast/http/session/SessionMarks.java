package dev.holdfast.http.session;

import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.session.PropertyWrite.Notice;
import dev.holdfast.session.Session;
import java.util.Optional;

/** What the transport keeps with a session, as properties that the feed tells of: its mode, and whether its driver closed it. */
final class SessionMarks {

    static final String MODE = "live.mode";
    static final String CLOSED = "live.closed";

    private SessionMarks() {}

    static Optional<String> mode(Session session) {
        return session.properties().get(MODE).map(Property::text);
    }

    static void setMode(Session session, String mode) {
        if (!mode(session).equals(Optional.of(mode))) {
            session.properties().put(PropertyWrite.of(MODE, mode).inFeed());
        }
    }

    /** Why it was closed; empty if it is open. */
    static Optional<String> closed(Session session) {
        return session.properties().get(CLOSED).map(Property::text);
    }

    static void close(Session session, String reason) {
        if (closed(session).isEmpty()) {
            session.properties().put(PropertyWrite.of(CLOSED, reason).inFeed());
        }
    }

    static void reopen(Session session) {
        if (closed(session).isPresent()) {
            boolean unused = session.properties().delete(CLOSED, Condition.ALWAYS, Notice.IN_FEED);
        }
    }
}
