package dev.holdfast.client;

import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.SessionEvent;
import java.time.Instant;
import java.util.List;

/** Frames of events as tests need them. */
final class Frames {

    private Frames() {}

    /** A frame with one event, named by the cursor behind it. */
    static ServerMessage.Events of(String session, String from, String cursor) {
        return new ServerMessage.Events(session, from, cursor, List.of(event(cursor)));
    }

    static SessionEvent event(String name) {
        return new SessionEvent.PropertyChanged(0, Instant.EPOCH, name);
    }

    static String name(SessionEvent event) {
        return ((SessionEvent.PropertyChanged) event).name();
    }
}
