package dev.holdfast.client.transport;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An event stream, and the POSTs that belong to it. Its reader pulls: what the receiver does not take stays in the socket. */
final class SseConnection implements Transport.Connection {

    private static final Logger LOG = LoggerFactory.getLogger(SseConnection.class);

    private final Endpoint endpoint;
    private final HttpClient client;
    private final Executor executor;
    private final Transport.Receiver receiver;

    private volatile boolean closed;
    private volatile @Nullable URI commands; // known by the welcome
    private @Nullable CompletableFuture<HttpResponse<InputStream>> opening; // guarded by this
    private @Nullable InputStream body; // guarded by this

    SseConnection(Endpoint endpoint, HttpClient client, Executor executor, Transport.Receiver receiver) {
        this.endpoint = endpoint;
        this.client = client;
        this.executor = executor;
        this.receiver = receiver;
    }

    private HttpRequest.Builder request(URI uri) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        String authorization = endpoint.authorization();
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return request;
    }

    @Override
    public void open() {
        executor.execute(this::run);
    }

    private void run() {
        HttpRequest request = request(endpoint.connect())
                .header("Accept", "text/event-stream")
                .GET()
                .build();
        CompletableFuture<HttpResponse<InputStream>> answer = client.sendAsync(request, BodyHandlers.ofInputStream());
        synchronized (this) {
            opening = answer;
        }
        if (closed) {
            close();
            return;
        }
        Loss loss;
        try {
            loss = follow(answer.join());
        } catch (CompletionException e) {
            loss = new Loss.Cut("There is no connection to %s: %s."
                    .formatted(endpoint, sentence(e.getCause() == null ? e : e.getCause())));
        } catch (IOException | UncheckedIOException e) {
            loss = new Loss.Cut("The connection to %s broke: %s.".formatted(endpoint, sentence(e)));
        } catch (MalformedMessage e) {
            loss = new Loss.Cut(String.valueOf(e.getMessage()));
        } catch (CancellationException e) {
            return; // closed here
        } catch (RuntimeException e) {
            LOG.warn("A message of the server could not be taken", e);
            loss = new Loss.Cut("A message of the server could not be taken: %s.".formatted(sentence(e)));
        }
        if (!closed) {
            receiver.lost(loss);
        }
        close();
    }

    private Loss follow(HttpResponse<InputStream> response) throws IOException {
        synchronized (this) {
            body = response.body();
        }
        try (InputStream in = response.body()) {
            if (response.statusCode() != 200) {
                return refusal(response);
            }
            String type = response.headers().firstValue("Content-Type").orElse("nothing");
            if (!type.startsWith("text/event-stream")) {
                return new Loss.NoSuchServer("%s answered with %s instead of an event stream; is it a Holdfast server?"
                        .formatted(endpoint, type));
            }
            SseReader reader = new SseReader(in, MessageJson.MAX_FRAME_BYTES);
            for (String frame = reader.next(); frame != null; frame = reader.next()) {
                if (closed) {
                    break;
                }
                ServerMessage message = MessageJson.parse(frame);
                if (message instanceof ServerMessage.Welcome welcome) {
                    commands = endpoint.commands(welcome.connection());
                }
                receiver.received(message);
            }
            return new Loss.Cut("The connection to %s ended.".formatted(endpoint));
        }
    }

    private Loss refusal(HttpResponse<InputStream> response) {
        String text;
        try {
            text = Answers.read(response.body());
        } catch (IOException e) {
            text = null; // the status says enough
        }
        return new Loss.Refused(response.statusCode(), Answers.problem(text), Answers.retryAfter(response.headers()));
    }

    @Override
    public CompletableFuture<Reply> send(ClientMessage command) {
        URI uri = commands;
        if (uri == null || closed) {
            return CompletableFuture.failedFuture(new IOException("The connection is not open."));
        }
        HttpRequest request = request(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(MessageJson.write(command)))
                .build();
        CompletableFuture<HttpResponse<InputStream>> answer = client.sendAsync(request, BodyHandlers.ofInputStream());
        CompletableFuture<Reply> reply = answer.thenApplyAsync(response -> reply(command.id(), response), executor);
        var unused = reply.whenComplete((done, failure) -> {
            if (reply.isCancelled()) {
                answer.cancel(true);
                var unusedClose = answer.thenAccept(response -> closeQuietly(response.body()));
            }
        });
        return reply;
    }

    private static Reply reply(String id, HttpResponse<InputStream> response) {
        try {
            return Answers.reply(id, response.statusCode(), Answers.read(response.body()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<HttpResponse<InputStream>> toCancel;
        InputStream toClose;
        synchronized (this) {
            toCancel = opening;
            toClose = body;
        }
        if (toCancel != null) {
            toCancel.cancel(true);
        }
        if (toClose != null) {
            closeQuietly(toClose);
        }
    }

    private static void closeQuietly(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // of no further use either way
        }
    }

    /** What went wrong, for the end of a sentence. */
    static String sentence(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof HttpConnectTimeoutException) {
            return "it does not answer";
        }
        if (failure instanceof ConnectException && (message == null || message.isBlank())) {
            return "nothing accepts connections there";
        }
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }
}
