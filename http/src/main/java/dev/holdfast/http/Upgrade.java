package dev.holdfast.http;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of an exchange that is upgraded to a WebSocket.
 *
 * @param subprotocol the one that was chosen of those offered ({@link Handshake#choose}), or null. Browsers take a WebSocket only with one of
 *     those that they offered, if they offered any
 * @param maxMessageBytes what one message of the client may have, in UTF-8. What is beyond it is dropped, and closes the socket with
 *     {@link WebSocket#TOO_LARGE} at its end, or earlier if it is very much ({@link HttpLimits#MAX_DROPPED_MESSAGE_BYTES}). A connection holds
 *     at most two messages: one that is received, and one that comes
 * @param opening makes what is behind the socket
 */
public record Upgrade(@Nullable String subprotocol, int maxMessageBytes, Opening opening) {

    public Upgrade {
        if (maxMessageBytes <= 0) {
            throw new IllegalArgumentException("A message needs room");
        }
    }

    /** Makes what is behind an open WebSocket. */
    @FunctionalInterface
    public interface Opening {

        /**
         * Called once, on the thread of the first part and before it. Never called if the client has left by then, so what was opened before
         * the upgrade may stay without one to close it: open here. What it throws aborts the exchange.
         *
         * @param socket to send with
         * @param wake asks for a part: the same one that the parts are given
         */
        WebSocketRest open(WebSocket socket, Runnable wake) throws IOException, InterruptedException;
    }

    /**
     * What every binding checks first.
     *
     * @throws HttpProblem 400 or 426 if the request asks for no WebSocket, or not properly
     */
    public void check(RequestHead head) {
        Handshake.check(head);
        if (subprotocol != null && !Handshake.subprotocols(head).contains(subprotocol)) {
            throw new IllegalArgumentException("The client did not offer the subprotocol " + subprotocol);
        }
    }
}
