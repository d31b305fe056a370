package dev.holdfast.client;

import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.ServerMessage.Driver;
import dev.holdfast.client.message.SessionEvent;
import java.util.List;

/**
 * Follows one session. The calls for one watch come one at a time, each happening before the next. What a call throws counts as not taken: the cursor
 * stays, and the same comes again, after a pause that grows; after {@value SessionClient#MAX_REFUSALS} times in a row the watch ends with the failure.
 *
 * <p>A call holds up its connection and nothing else: no more is read from the socket until it returns. It may call the client, but does not wait for
 * the futures that the client gives: over a WebSocket the answer would come behind what is not being read.
 */
public interface SessionListener {

    /**
     * The session is attached, at first and after each loss. With a snapshot it takes the place of everything that came before; otherwise what follows goes
     * on where it stood.
     */
    void attached(Attached attached);

    /**
     * What happened, in order, without a gap and without anything twice. It is taken as a whole.
     *
     * @param cursor where the session stands once this was taken
     */
    void events(List<SessionEvent> events, String cursor);

    /** Who drives the session has changed. */
    default void driver(Driver driver) {}

    /** Nothing more comes. The last call, unless the watch was ended here. */
    default void ended(WatchEnd end) {}
}
