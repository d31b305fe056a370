package dev.holdfast.http;

import java.io.IOException;

/** Answers an exchange. Returning ends the response cleanly; throwing {@link IOException} says that the client is gone. */
@FunctionalInterface
public interface HttpHandler {
    void handle(Exchange exchange) throws IOException, InterruptedException;

    /** Runs what goes on after {@link #handle}, on the thread that it goes on with. */
    default void goOn(Exchange exchange, Exchange.Rest rest) throws IOException, InterruptedException {
        rest.run();
    }
}
