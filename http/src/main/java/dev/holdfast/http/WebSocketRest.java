package dev.holdfast.http;

import java.io.IOException;

/**
 * The rest of an exchange that has become a WebSocket: its parts write what there is to write, and beside them messages are received. So two
 * threads may be in it at once, one in {@link #goOn} and one in {@link #receive}, and never two in the same.
 *
 * <p>When the client is gone, the socket was closed or the exchange was aborted, no further part is run. The end of the last part closes the
 * socket with {@link WebSocket#NORMAL} unless it was closed before; what it throws aborts the exchange, since the upgrade was the answer.
 */
public interface WebSocketRest extends Exchange.Rest {

    /**
     * Takes a message. The next one is read from the client only when this has returned, so that a client that is too fast waits. For as long
     * as this waits, pings are not answered and it is not noticed that the client closes.
     *
     * <p>It is interrupted when the exchange ends. {@link IOException} and {@link InterruptedException} abort the exchange; anything else that
     * it throws is a defect, which is logged and closes the socket with {@link WebSocket#DEFECT}. What the client did wrong is to be told by a
     * message or by {@link WebSocket#close}.
     *
     * @param text a whole message, however many fragments it came in
     */
    void receive(String text) throws IOException, InterruptedException;

    /** Lets go of all that the rest holds. Called once, when neither a part nor a message is under way and none is to come. */
    @Override
    void close();
}
