package dev.holdfast.server.remote;

import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import java.util.List;

/** What is shown of a session. One call at a time. */
interface Output {

    void attached(Attached attached);

    /** @param cursor where the session stands behind them */
    void events(String session, List<SessionEvent> events, String cursor);
}
