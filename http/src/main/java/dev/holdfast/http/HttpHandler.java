package dev.holdfast.http;

import java.io.IOException;

/** Answers an exchange. Returning ends the response cleanly; throwing {@link IOException} says that the client is gone. */
@FunctionalInterface
public interface HttpHandler {
    void handle(Exchange exchange) throws IOException, InterruptedException;

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
