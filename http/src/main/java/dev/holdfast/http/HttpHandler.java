package dev.holdfast.http;

import java.io.IOException;

/** Answers an exchange. Returning ends the response cleanly; throwing {@link IOException} says that the client is gone. */
@FunctionalInterface
public interface HttpHandler {
    void handle(Exchange exchange) throws IOException, InterruptedException;

    /**
     * Whether a request that asks for a WebSocket may become one. A servlet container upgrades only on its own threads, so such a request holds
     * one of them until it is answered; any other does without.
     */
    default boolean mayUpgrade(RequestHead head) {
        return true;
    }

    /**
     * Runs a part of what goes on after {@link #handle}, on the thread that the part has, and closes the rest after its last part.
     *
     * @param wake asks for another part
     * @return whether another part may follow
     */
    default boolean goOn(Exchange exchange, Exchange.Rest rest, Runnable wake)
            throws IOException, InterruptedException {
        boolean more = false;
        try {
            more = rest.goOn(wake);
        } finally {
            if (!more) {
                rest.close();
            }
        }
        return more;
    }
}
