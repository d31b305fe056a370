package dev.holdfast.http.servlet;

import dev.holdfast.http.Closing;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Upgrade;
import dev.holdfast.http.Upgraded;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.CloseReason;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Extension;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.SendResult;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A WebSocket of a container with Jakarta WebSocket. The container reads by itself: its thread puts messages together, and waits with one in
 * its hand while the one before is still received.
 *
 * <p>There is no way to cut the connection below a session, so a cut is a close with {@link #COME_BACK}; whoever is sending is let go at once.
 *
 * <p>Public for the containers that insist on it; nobody else can do anything with it.
 */
public final class ServletWebSocket extends Endpoint implements Upgraded.Line, ServletSocket {

    private static final Logger LOG = LoggerFactory.getLogger(ServletWebSocket.class);

    /** How long a client may take for one message. */
    private static final Duration MAX_SENDING = Duration.ofSeconds(60);

    /** The name that Tomcat has for {@link HttpLimits#WEBSOCKET_CLOSE}; others do not know it. */
    private static final String TOMCAT_CLOSE = "org.apache.tomcat.websocket.SESSION_CLOSE_TIMEOUT";

    private final ServletExchange exchange;
    private final ServerContainer container;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final @Nullable String subprotocol;
    private final int maxMessageBytes;
    private final Upgraded upgraded;
    private final ReentrantLock sends = new ReentrantLock();
    private final Semaphore asked = new Semaphore(0);
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable CompletableFuture<SendResult> sending;
    private volatile @Nullable Session session;
    private volatile @Nullable HttpHandler parts;

    // By one message at a time.
    private StringBuilder pieces = new StringBuilder();
    private long pieceBytes;

    private ServletWebSocket(
            ServletExchange exchange,
            ServerContainer container,
            HttpServletRequest request,
            HttpServletResponse response,
            Upgrade upgrade) {
        this.exchange = exchange;
        this.container = container;
        this.request = request;
        this.response = response;
        this.subprotocol = upgrade.subprotocol();
        this.maxMessageBytes = upgrade.maxMessageBytes();
        this.upgraded = new Upgraded(exchange, upgrade, this);
    }

    /**
     * @param container the container's {@code ServerContainer}
     */
    static ServletSocket of(
            ServletExchange exchange,
            Object container,
            HttpServletRequest request,
            HttpServletResponse response,
            Upgrade upgrade) {
        return new ServletWebSocket(exchange, (ServerContainer) container, request, response, upgrade);
    }

    @Override
    public Upgraded upgraded() {
        return upgraded;
    }

    @Override
    public void open(HttpHandler handler) {
        parts = handler;
        if (!exchange.aborted()) {
            try {
                ServerEndpointConfig config = ServerEndpointConfig.Builder.create(ServletWebSocket.class, "/")
                        .configurator(new Configurator(this))
                        .build();
                container.upgradeHttpToWebSocket(request, response, config, Map.of());
            } catch (IOException e) {
                LOG.debug("The client of {} is gone", exchange.head().rawPath(), e);
                exchange.abort();
            } catch (DeploymentException | RuntimeException e) {
                LOG.error("The container does not upgrade {}", exchange.head().rawPath(), e);
                exchange.abort();
            }
            if (response.getStatus() != HttpServletResponse.SC_SWITCHING_PROTOCOLS) {
                exchange.abort();
            }
        }
        if (exchange.aborted()) {
            begin();
        }
    }

    private static final class Configurator extends ServerEndpointConfig.Configurator {
        private final ServletWebSocket socket;

        Configurator(ServletWebSocket socket) {
            this.socket = socket;
        }

        @Override
        public <T> T getEndpointInstance(Class<T> type) {
            return type.cast(socket);
        }

        @Override
        public boolean checkOrigin(@Nullable String origin) {
            return true; // the door has checked it
        }

        @Override
        public String getNegotiatedSubprotocol(List<String> supported, List<String> requested) {
            return socket.subprotocol == null ? "" : socket.subprotocol;
        }

        @Override
        public List<Extension> getNegotiatedExtensions(List<Extension> installed, List<Extension> requested) {
            return List.of();
        }
    }

    private void begin() {
        if (begun.compareAndSet(false, true)) {
            exchange.apart().beginApart(Objects.requireNonNull(parts), this::ended);
        }
    }

    private void ended(@Nullable Throwable defect) {
        if (defect != null) {
            LOG.error("A WebSocket failed by a defect", defect);
        }
        if (!exchange.aborted() && session != null) {
            close(NORMAL, "");
        }
        asked.release(); // a container's thread may wait, though nobody came to ask
    }

    @Override
    public void onOpen(Session opened, EndpointConfig config) {
        opened.setMaxIdleTimeout(0);
        opened.getUserProperties().put(TOMCAT_CLOSE, HttpLimits.WEBSOCKET_CLOSE.toMillis());
        opened.getAsyncRemote().setSendTimeout(MAX_SENDING.toMillis());
        opened.addMessageHandler(String.class, new MessageHandler.Partial<String>() {
            @Override
            public void onMessage(String piece, boolean last) {
                text(piece, last);
            }
        });
        opened.addMessageHandler(ByteBuffer.class, new MessageHandler.Partial<ByteBuffer>() {
            @Override
            public void onMessage(ByteBuffer piece, boolean last) {
                pieceBytes += piece.remaining();
                closeAfter(last, NOT_TEXT, "Send text messages; this one is binary.");
            }
        });
        session = opened;
        if (exchange.aborted()) {
            cut();
        }
        begin();
    }

    private void text(String piece, boolean last) {
        if (closed.get() || exchange.gone()) {
            return;
        }
        pieceBytes += utf8Bytes(piece);
        if (pieceBytes > maxMessageBytes) {
            pieces = new StringBuilder();
            closeAfter(last, TOO_LARGE, "A message may have at most %d bytes of UTF-8.".formatted(maxMessageBytes));
            return;
        }
        pieces.append(piece);
        if (last) {
            String whole = pieces.toString();
            pieces = new StringBuilder();
            pieceBytes = 0;
            handOver(whole);
        }
    }

    /** Closes when the client has sent all of a message that is refused, unless that is very much. */
    private void closeAfter(boolean last, int code, String reason) {
        if (last || pieceBytes > HttpLimits.MAX_DROPPED_MESSAGE_BYTES) {
            close(code, reason);
        }
    }

    private void handOver(String message) {
        try {
            asked.acquire();
        } catch (InterruptedException e) {
            exchange.abort();
            Thread.currentThread().interrupt();
            return;
        }
        if (exchange.gone()) {
            asked.release();
        } else {
            upgraded.receive(message);
        }
    }

    /** A pair of surrogates may be cut in two, and has four bytes. */
    private static long utf8Bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    @Override
    public void next() {
        asked.release();
    }

    @Override
    public void onClose(Session closing, CloseReason reason) {
        exchange.left();
        letGo();
    }

    @Override
    public void onError(Session failing, Throwable failure) {
        LOG.debug("The client of {} is gone", exchange.head().rawPath(), failure);
    }

    @Override
    public void sendText(byte[] utf8) throws IOException {
        sends.lock();
        try {
            CompletableFuture<SendResult> result = new CompletableFuture<>();
            sending = result;
            if (closed.get() || exchange.gone()) { // asked when it can be let go
                throw new IOException("The WebSocket is closed");
            }
            open().getAsyncRemote().sendText(new String(utf8, StandardCharsets.UTF_8), result::complete);
            SendResult sent = result.get();
            if (!sent.isOK()) {
                throw new IOException(sent.getException());
            }
        } catch (IOException e) {
            abortUnlessClosed();
            throw e;
        } catch (RuntimeException | ExecutionException e) {
            abortUnlessClosed();
            throw new IOException(e);
        } catch (InterruptedException e) {
            abortUnlessClosed();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a message was sent");
        } finally {
            sending = null;
            sends.unlock();
        }
    }

    private void abortUnlessClosed() {
        if (!closed.get() && !exchange.gone()) {
            exchange.abort(); // some of the message may be out
        }
    }

    @Override
    public void close(int code, String reason) {
        Closing closing = new Closing(code, reason);
        if (closed.compareAndSet(false, true)) {
            end(closing);
            exchange.left();
        }
    }

    @Override
    public void cut() {
        letGo();
        if (session != null && closed.compareAndSet(false, true)) {
            end(new Closing(COME_BACK, "Come back."));
        }
    }

    private void letGo() {
        CompletableFuture<SendResult> waiting = sending;
        if (waiting != null) {
            waiting.completeExceptionally(new IOException("The WebSocket is closed"));
        }
    }

    /** Containers may wait for a client that takes nothing. */
    private void end(Closing closing) {
        Session ending = open();
        Thread unused = Thread.ofVirtual().name("holdfast-servlet-close").start(() -> {
            try {
                ending.setMaxIdleTimeout(HttpLimits.WEBSOCKET_CLOSE.toMillis());
                ending.close(new CloseReason(CloseReason.CloseCodes.getCloseCode(closing.code()), closing.reason()));
            } catch (IOException | RuntimeException e) {
                LOG.debug("The client of {} is gone", exchange.head().rawPath(), e);
            }
        });
    }

    private Session open() {
        return Objects.requireNonNull(session);
    }
}
