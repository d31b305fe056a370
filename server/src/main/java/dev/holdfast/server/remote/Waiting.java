package dev.holdfast.server.remote;

import dev.holdfast.client.ClientState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for what a server has still to say. */
final class Waiting {

    private Waiting() {}

    /**
     * The result, as soon as there is one.
     *
     * @throws Line.Failed if there will be none
     */
    static <T> T await(Line line, CompletableFuture<T> result) {
        try {
            var unused = CompletableFuture.anyOf(result, line.hopeless()).join();
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (line.client().state() instanceof ClientState.Ended ended) {
                throw new Line.Failed(Line.sentence(ended));
            }
            throw new Line.Failed(String.valueOf(cause.getMessage()));
        }
    }
}
