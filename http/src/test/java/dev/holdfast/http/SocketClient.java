package dev.holdfast.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocketHandshakeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JDK's WebSocket, with what it got. */
public final class SocketClient implements java.net.http.WebSocket.Listener, AutoCloseable {

    private final HttpClient http = HttpClient.newHttpClient();
    private final boolean reads;
    private final StringBuilder pieces = new StringBuilder();
    private final LinkedBlockingQueue<String> texts = new LinkedBlockingQueue<>();
    private final CompletableFuture<String> closed = new CompletableFuture<>();
    private final LinkedBlockingQueue<String> pongs = new LinkedBlockingQueue<>();
    private java.net.http.@Nullable WebSocket socket;

    private SocketClient(boolean reads) {
        this.reads = reads;
    }

    /**
     * @param headers name, value, name, value ...
     */
    public static SocketClient connect(URI uri, List<String> subprotocols, String... headers) {
        return new SocketClient(true).opened(uri, subprotocols, headers);
    }

    public static SocketClient connect(URI uri) {
        return connect(uri, List.of());
    }

    /** A client that takes nothing of what is sent. */
    public static SocketClient connectWithoutReading(URI uri) {
        return new SocketClient(false).opened(uri, List.of());
    }

    private SocketClient opened(URI uri, List<String> subprotocols, String... headers) {
        var builder = http.newWebSocketBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        if (!subprotocols.isEmpty()) {
            String[] others = subprotocols.subList(1, subprotocols.size()).toArray(String[]::new);
            builder.subprotocols(subprotocols.getFirst(), others);
        }
        try {
            socket = builder.buildAsync(uri, this).join();
            return this;
        } catch (CompletionException e) {
            http.shutdownNow();
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                throw new RefusedException(refused);
            }
            throw e;
        }
    }

    /** What was answered instead of the upgrade. */
    static final class RefusedException extends RuntimeException {
        final transient java.net.http.HttpResponse<?> response;

        RefusedException(WebSocketHandshakeException cause) {
            super("HTTP " + cause.getResponse().statusCode(), cause);
            response = cause.getResponse();
        }
    }

    public java.net.http.WebSocket socket() {
        java.net.http.WebSocket open = socket;
        if (open == null) {
            throw new IllegalStateException("not open yet");
        }
        return open;
    }

    public void send(String text) {
        socket().sendText(text, true).join();
    }

    /** The next message. */
    public String next() throws InterruptedException {
        String text = texts.poll(2, TimeUnit.MINUTES);
        if (text == null) {
            throw new AssertionError("No message came");
        }
        return text;
    }

    boolean hasNext() {
        return !texts.isEmpty();
    }

    String nextPong() throws InterruptedException {
        String text = pongs.poll(2, TimeUnit.MINUTES);
        if (text == null) {
            throw new AssertionError("No pong came");
        }
        return text;
    }

    /** Code and reason of the close that came, or what broke the connection. */
    public String closing() throws Exception {
        return closed.get(2, TimeUnit.MINUTES);
    }

    /** Leaves without a close. */
    void vanish() {
        socket().abort();
    }

    @Override
    public void onOpen(java.net.http.WebSocket opened) {
        if (reads) {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onText(java.net.http.WebSocket from, CharSequence piece, boolean last) {
        pieces.append(piece);
        if (last) {
            texts.add(pieces.toString());
            pieces.setLength(0);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(java.net.http.WebSocket from, java.nio.ByteBuffer payload) {
        pongs.add(java.nio.charset.StandardCharsets.UTF_8.decode(payload).toString());
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(java.net.http.WebSocket from, int code, String reason) {
        closed.complete(code + " " + reason);
        return null;
    }

    @Override
    public void onError(java.net.http.WebSocket from, Throwable error) {
        closed.complete(error.toString());
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
        http.shutdownNow();
    }
}
