package dev.holdfast.http.jetty;

import dev.holdfast.http.Closing;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Upgrade;
import dev.holdfast.http.Upgraded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.server.Handshaker;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A WebSocket on Jetty. Jetty's threads only put messages together; each frame is asked for ({@link CoreSession#demand}), so nothing is read
 * that nobody takes. Messages are not compressed, which would cost each connection a window.
 *
 * <p>An idle connection is left alone; one that takes nothing of what is sent is given up after the idle timeout.
 */
final class JettyWebSocket implements FrameHandler, Upgraded.Line {

    private static final Logger LOG = LoggerFactory.getLogger(JettyWebSocket.class);

    /** What one read takes, and what is put before the payload of a frame. */
    private static final int BUFFER_BYTES = 4 << 10;

    private final JettyExchange exchange;
    private final @Nullable String subprotocol;
    private final Upgraded upgraded;
    private final TextMessages messages; // by one frame at a time
    private final ReentrantLock sends = new ReentrantLock();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean sending;
    private volatile @Nullable CoreSession session;

    // Set once, before the upgrade is answered.
    private @Nullable HttpHandler parts;
    private @Nullable EndPoint endPoint;
    private @Nullable Scheduler scheduler;

    JettyWebSocket(JettyExchange exchange, Upgrade upgrade) {
        this.exchange = exchange;
        this.subprotocol = upgrade.subprotocol();
        this.upgraded = new Upgraded(exchange, upgrade, this);
        this.messages = new TextMessages(upgrade.maxMessageBytes());
    }

    Upgraded upgraded() {
        return upgraded;
    }

    /** Answers the upgrade; the handler has returned. The parts begin when the socket is open, or will not be. */
    void open(Handshaker handshaker, HttpHandler handler, Request request, Response response, Callback callback) {
        parts = handler;
        endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        scheduler = request.getConnectionMetaData().getConnector().getScheduler();
        Callback answered = new Callback.Nested(callback) {
            @Override
            public void failed(Throwable cause) {
                super.failed(cause);
                exchange.abort();
                begin();
            }
        };
        if (exchange.aborted()) {
            callback.succeeded(); // nothing of it leaves: the connection is closed
            begin();
            return;
        }
        try {
            boolean asked = handshaker.upgradeRequest(
                    new Negotiator(this),
                    request,
                    response,
                    answered,
                    WebSocketServerComponents.getWebSocketComponents(
                            request.getConnectionMetaData().getConnector().getServer()),
                    null);
            if (!asked) {
                throw new IllegalStateException("Jetty finds no WebSocket in a request that was checked");
            }
        } catch (RuntimeException e) {
            answered.failed(e);
        }
    }

    private record Negotiator(JettyWebSocket socket) implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setExtensions(List.of());
            if (socket.subprotocol != null) {
                response.setAcceptedSubProtocol(socket.subprotocol);
            }
            return socket;
        }

        @Override
        public void customize(Configuration session) {
            session.setInputBufferSize(BUFFER_BYTES);
            session.setOutputBufferSize(BUFFER_BYTES);
            session.setIdleTimeout(socket.idleTimeout());
        }
    }

    private java.time.Duration idleTimeout() {
        return java.time.Duration.ofMillis(Objects.requireNonNull(endPoint).getIdleTimeout());
    }

    /** Not on a thread of Jetty's, since parts wait for their client. */
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
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        session = opened;
        opened.addIdleTimeoutListener(timeout -> sending);
        callback.succeeded();
        begin();
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        switch (frame.getOpCode()) {
            case OpCode.CLOSE -> {
                exchange.left();
                cutLater();
                callback.succeeded(); // the session answers
            }
            case OpCode.PING -> pong(frame, callback);
            case OpCode.PONG -> skip(callback);
            default -> take(frame, callback);
        }
    }

    private void pong(Frame ping, Callback callback) {
        if (closed.get()) {
            skip(callback);
        } else {
            open().sendFrame(
                            new Frame(OpCode.PONG, true, ping.getPayload()),
                            Callback.from(this::next, callback),
                            false);
        }
    }

    private void skip(Callback callback) {
        callback.succeeded();
        next();
    }

    private void take(Frame frame, Callback callback) {
        String message = null;
        if (!closed.get()) {
            try {
                message = messages.add(frame);
            } catch (TextMessages.RefusedException e) {
                close(e.closing().code(), e.closing().reason());
            }
        }
        callback.succeeded();
        if (message == null) {
            next();
        } else {
            upgraded.receive(message);
        }
    }

    @Override
    public void next() {
        open().demand();
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        LOG.debug("The client of {} is gone", exchange.head().rawPath(), cause);
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        exchange.left();
        callback.succeeded();
    }

    @Override
    public void sendText(byte[] utf8) throws IOException {
        sends.lock();
        try {
            if (closed.get() || exchange.gone()) {
                throw new IOException("The WebSocket is closed");
            }
            sending = true;
            send(new Frame(OpCode.TEXT, true, ByteBuffer.wrap(utf8)));
        } finally {
            sending = false;
            sends.unlock();
        }
    }

    private void send(Frame frame) throws IOException {
        try (Blocker.Callback sent = Blocker.callback()) {
            open().sendFrame(frame, sent, false);
            sent.block();
        } catch (IOException | RuntimeException e) {
            exchange.abort(); // some of it may be out
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    @Override
    public void close(int code, String reason) {
        Closing closing = new Closing(code, reason);
        if (closed.compareAndSet(false, true)) {
            open().close(closing.code(), closing.reason(), Callback.NOOP);
            cutLater();
            exchange.left();
        }
    }

    /** A client that does not close its side, or reads nothing, holds the connection no longer than this. */
    private void cutLater() {
        EndPoint connection = Objects.requireNonNull(endPoint);
        Scheduler.Task unused = Objects.requireNonNull(scheduler)
                .schedule(
                        () -> connection.close(new IOException("not closed in time")),
                        HttpLimits.WEBSOCKET_CLOSE.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private CoreSession open() {
        return Objects.requireNonNull(session);
    }
}
