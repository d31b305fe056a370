package dev.holdfast.client.transport;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket. It asks for the next frame when the receiver has taken the one before, so what the receiver does not take stays in the socket. Commands
 * are written one after the other, in the order in which they were given.
 */
final class WebSocketConnection implements Transport.Connection, WebSocket.Listener {

    /** Commands without an answer; more are refused. */
    static final int MAX_UNANSWERED = 512;

    private static final int KEPT_CHARACTERS = 64 << 10;

    private final Endpoint endpoint;
    private final HttpClient client;
    private final Executor executor;
    private final Transport.Receiver receiver;

    /** The frame that arrives; owned by the socket's listener, which is called one call at a time. */
    private StringBuilder frame = new StringBuilder();

    private final Map<String, CompletableFuture<Reply>> unanswered = new HashMap<>(); // guarded by this
    private CompletableFuture<?> lastWrite = CompletableFuture.completedFuture(null); // guarded by this
    private @Nullable WebSocket socket; // guarded by this
    private boolean over; // guarded by this; closed here, or lost

    WebSocketConnection(Endpoint endpoint, HttpClient client, Executor executor, Transport.Receiver receiver) {
        this.endpoint = endpoint;
        this.client = client;
        this.executor = executor;
        this.receiver = receiver;
    }

    @Override
    public void open() {
        WebSocket.Builder builder = client.newWebSocketBuilder()
                .subprotocols(WebSocketTransport.PROTOCOL)
                .connectTimeout(SseTransport.CONNECT_LIMIT);
        String authorization = endpoint.authorization();
        if (authorization != null) {
            builder.header("Authorization", authorization);
        }
        var unused = builder.buildAsync(endpoint.webSocket(), this).whenCompleteAsync(this::opened, executor);
    }

    private void opened(@Nullable WebSocket made, @Nullable Throwable failure) {
        if (failure != null) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            lose(
                    cause instanceof WebSocketHandshakeException handshake
                            ? refusal(handshake)
                            : new Loss.Cut("There is no connection to %s: %s."
                                    .formatted(endpoint, SseConnection.sentence(cause))));
        }
    }

    private Loss refusal(WebSocketHandshakeException failure) {
        HttpResponse<?> response = failure.getResponse();
        if (response == null || response.statusCode() == 101) {
            return new Loss.NoSuchServer(
                    "%s does not speak %s over WebSocket.".formatted(endpoint, WebSocketTransport.PROTOCOL));
        }
        String body = response.body() instanceof String text ? text : null;
        return new Loss.Refused(response.statusCode(), Answers.problem(body), Answers.retryAfter(response.headers()));
    }

    @Override
    public void onOpen(WebSocket made) {
        synchronized (this) {
            socket = made;
            if (over) {
                made.abort();
                return;
            }
        }
        if (!made.getSubprotocol().equals(WebSocketTransport.PROTOCOL)) {
            lose(new Loss.NoSuchServer(
                    "%s does not speak %s over WebSocket.".formatted(endpoint, WebSocketTransport.PROTOCOL)));
            return;
        }
        made.request(1);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        if (frame.length() + data.length() > MessageJson.MAX_FRAME_BYTES) {
            lose(new Loss.Cut("The server sent a frame of more than %d characters, the most that is read."
                    .formatted(MessageJson.MAX_FRAME_BYTES)));
            return null;
        }
        frame.append(data);
        if (last) {
            String text = frame.toString();
            frame.setLength(0);
            if (frame.capacity() > KEPT_CHARACTERS) {
                frame = new StringBuilder(); // one large frame does not hold its memory for ever
            }
            take(text);
        }
        from.request(1);
        return null;
    }

    private void take(String text) {
        if (isOver()) {
            return;
        }
        try {
            ServerMessage message = MessageJson.parse(text);
            if (message instanceof Reply reply) {
                answer(reply);
            } else {
                receiver.received(message);
            }
        } catch (MalformedMessage e) {
            lose(new Loss.Cut(String.valueOf(e.getMessage())));
        }
    }

    private void answer(Reply reply) {
        CompletableFuture<Reply> waiting;
        synchronized (this) {
            waiting = unanswered.remove(reply.id());
        }
        if (waiting != null) {
            waiting.complete(reply);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        lose(new Loss.Cut("%s closed the connection: status %d%s."
                .formatted(endpoint, status, reason.isBlank() ? "" : ", " + reason)));
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        lose(new Loss.Cut("The connection to %s broke: %s.".formatted(endpoint, SseConnection.sentence(error))));
    }

    @Override
    public CompletableFuture<Reply> send(ClientMessage command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        synchronized (this) {
            WebSocket open = socket;
            if (over || open == null) {
                return CompletableFuture.failedFuture(new IOException("The connection is not open."));
            }
            if (unanswered.size() >= MAX_UNANSWERED) {
                return CompletableFuture.failedFuture(new IOException(
                        "%d commands wait for an answer, the most there may be.".formatted(MAX_UNANSWERED)));
            }
            unanswered.put(command.id(), reply);
            String text = MessageJson.write(command);
            // One after the other: the socket refuses a second one while the first is being written.
            CompletableFuture<WebSocket> write =
                    lastWrite.handle((done, failure) -> Boolean.TRUE).thenCompose(next -> open.sendText(text, true));
            lastWrite = write;
            var unused = write.whenComplete((written, failure) -> {
                if (failure != null) {
                    forget(command.id(), reply, failure);
                }
            });
        }
        var unused = reply.whenComplete((done, failure) -> {
            if (reply.isCancelled()) {
                forget(command.id(), reply, new IOException("given up"));
            }
        });
        return reply;
    }

    private void forget(String id, CompletableFuture<Reply> reply, Throwable why) {
        synchronized (this) {
            unanswered.remove(id, reply);
        }
        reply.completeExceptionally(why);
    }

    private synchronized boolean isOver() {
        return over;
    }

    private void lose(Loss loss) {
        if (end()) {
            receiver.lost(loss);
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Ends it, once. */
    private boolean end() {
        List<CompletableFuture<Reply>> left;
        WebSocket open;
        synchronized (this) {
            if (over) {
                return false;
            }
            over = true;
            left = List.copyOf(unanswered.values());
            unanswered.clear();
            open = socket;
        }
        if (open != null) {
            open.abort();
        }
        left.forEach(each -> each.completeExceptionally(new IOException("The connection is lost.")));
        return true;
    }
}
