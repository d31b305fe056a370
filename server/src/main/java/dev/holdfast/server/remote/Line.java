package dev.holdfast.server.remote;

import dev.holdfast.client.ClientSettings;
import dev.holdfast.client.ClientState;
import dev.holdfast.client.SessionClient;
import dev.holdfast.client.transport.Endpoint;
import dev.holdfast.client.transport.SseTransport;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a server, as a command has it: it says on standard error how it is, and fails once there is no sense in waiting. That is if the first try
 * fails; once it was there, it is waited for.
 */
final class Line implements AutoCloseable {

    private final Endpoint endpoint;
    private final PrintWriter err;
    private final CompletableFuture<Void> hopeless = new CompletableFuture<>();
    private final SessionClient client;
    private boolean wasThere; // only touched by the client's states, which come one at a time

    Line(Endpoint endpoint, PrintWriter err) {
        this.endpoint = endpoint;
        this.err = err;
        this.client = new SessionClient(
                new SseTransport(endpoint), ClientSettings.defaults().withOnState(this::tell));
    }

    SessionClient client() {
        return client;
    }

    /** Fails with {@link Failed} once there is no sense in waiting; never completes otherwise. */
    CompletableFuture<Void> hopeless() {
        return hopeless;
    }

    private void tell(ClientState state) {
        switch (state) {
            case ClientState.Connected connected -> {
                wasThere = true;
                say("connected to %s".formatted(endpoint));
            }
            case ClientState.Waiting waiting
            when wasThere ->
                say("%s Trying again in %.1f s."
                        .formatted(waiting.why(), waiting.pause().toMillis() / 1000.0));
            case ClientState.Waiting waiting ->
                hopeless.completeExceptionally(new Failed(
                        "%s Is the server running? Its address is set with --server.".formatted(waiting.why())));
            case ClientState.Ended ended -> hopeless.completeExceptionally(new Failed(sentence(ended)));
            case ClientState.Idle idle -> {}
            case ClientState.Opening opening -> {}
            case ClientState.Syncing syncing -> {}
            case ClientState.Closed closed -> {}
        }
    }

    /** Why there is no connection, and what to do. */
    static String sentence(ClientState.Ended ended) {
        return ended.reason() == ClientState.Reason.UNAUTHORIZED
                ? "%s The API key is given with --key-file or as HOLDFAST_KEY.".formatted(ended.why())
                : ended.why();
    }

    /** A remark on standard error. */
    void say(String remark) {
        err.println("holdfast: " + remark);
        err.flush();
    }

    @Override
    public void close() {
        client.close();
    }

    /** Why a command could not do what it was asked, in one sentence. */
    static final class Failed extends RuntimeException {
        Failed(String message) {
            super(message);
        }
    }

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
