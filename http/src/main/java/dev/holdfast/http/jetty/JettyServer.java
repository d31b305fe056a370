package dev.holdfast.http.jetty;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.server.Handshaker;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;

/**
 * Jetty with one connector for HTTP/1.1 with WebSockets and HTTP/2 in clear text, and one handler. A few platform threads select; each request has a virtual
 * thread of its own, which may block for as long as its stream lives, and which it loses when it goes on apart
 * ({@link dev.holdfast.http.Exchange#goOnApart}).
 *
 * <p>Jetty's pool of virtual threads runs 200 tasks at once unless told otherwise, and queues the rest silently; here it has room for all
 * exchanges that the door lets in and for those it refuses, so that the 201st stream works and one too many gets its 503.
 */
public final class JettyServer implements HttpListener {

    /** Escaped slashes get through: the router refuses them where they could mean two things, and more, with a better sentence. */
    private static final UriCompliance URIS = UriCompliance.RFC3986.with(
            "the router decides about escaped slashes", UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR);

    private static final int PLATFORM_THREADS = 8;
    private static final int TASKS_BEYOND_EXCHANGES = 1000;
    private static final int ACCEPT_QUEUE = 1024;
    private static final int SMALL_BUFFER_BYTES = 2 << 10;

    /** What a client may send on one stream of HTTP/2, and on all of its connection, before the handlers read it. */
    private static final int STREAM_WINDOW_BYTES = 256 << 10;

    private static final int CONNECTION_WINDOW_BYTES = 1 << 20;

    private final Server server;
    private final ServerConnector connector;

    /**
     * @param host the address to listen on
     * @param port the port, or 0 for any
     */
    public JettyServer(String host, int port, HttpLimits limits, HttpHandler handler) {
        this(host, port, limits, (Executor virtual) -> new Bridge(handler, virtual));
    }

    /** As above for a handler of Jetty's own, to see what Jetty by itself costs with the same configuration. */
    public JettyServer(String host, int port, HttpLimits limits, Handler handler) {
        this(host, port, limits, (Executor virtual) -> handler);
    }

    private JettyServer(String host, int port, HttpLimits limits, Function<Executor, Handler> handler) {
        VirtualThreadPool virtual = new VirtualThreadPool(limits.maxExchanges() + TASKS_BEYOND_EXCHANGES);
        virtual.setName("holdfast-http-");
        QueuedThreadPool platform = new QueuedThreadPool(PLATFORM_THREADS);
        platform.setName("jetty");
        platform.setReservedThreads(0);
        platform.setVirtualThreadsExecutor(virtual);
        platform.addBean(virtual);
        server = new Server(platform);
        WebSocketComponents unused = WebSocketServerComponents.ensureWebSocketComponents(server);
        server.setStopTimeout(0); // draining happens before, above this class
        HttpConfiguration configuration = configuration(limits);
        connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration), http2(configuration));
        connector.setHost(host);
        connector.setPort(port);
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.setIdleTimeout(limits.idleTimeout().toMillis());
        server.addConnector(connector);
        server.setErrorHandler(new JettyProblems());
        server.setHandler(handler.apply(virtual));
    }

    private static HttpConfiguration configuration(HttpLimits limits) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setHeaderCacheCaseSensitive(true); // values come out as they were sent
        configuration.setRequestHeaderSize(HttpLimits.MAX_REQUEST_HEAD_BYTES);
        configuration.setUriCompliance(URIS);
        configuration.setIdleTimeout(limits.idleTimeout().toMillis());
        configuration.setOutputBufferSize(SMALL_BUFFER_BYTES); // held per open stream
        configuration.setOutputAggregationSize(SMALL_BUFFER_BYTES / 2);
        return configuration;
    }

    /** HTTP/2 in clear text, begun by the client's preface or by an upgrade. */
    private static HTTP2CServerConnectionFactory http2(HttpConfiguration configuration) {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        http2.setMaxConcurrentStreams(HttpLimits.MAX_STREAMS_PER_CONNECTION);
        http2.setInitialStreamRecvWindow(STREAM_WINDOW_BYTES);
        http2.setInitialSessionRecvWindow(CONNECTION_WINDOW_BYTES);
        return http2;
    }

    @Override
    public void bind() throws IOException {
        connector.open();
    }

    @Override
    public void start() throws IOException {
        try {
            server.start();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        } catch (Exception e) {
            close();
            throw new IllegalStateException("Jetty did not start", e);
        }
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
            connector.close(); // Jetty stops only what it started
        } catch (Exception e) {
            throw new IllegalStateException("Jetty did not stop", e);
        }
    }

    /**
     * Hands Jetty's requests to the port's handler, each on a virtual thread. Jetty sees to that for a request that its selectors find; one that
     * follows a response which ended apart is read on a platform thread, of which a few that block would be all there are.
     */
    private static final class Bridge extends Handler.Abstract {
        private final HttpHandler handler;
        private final Executor virtual;
        private final Handshaker handshaker = Handshaker.newInstance();

        Bridge(HttpHandler handler, Executor virtual) {
            super(InvocationType.BLOCKING);
            this.handler = handler;
            this.virtual = virtual;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (Thread.currentThread().isVirtual()) {
                answer(request, response, callback);
            } else {
                virtual.execute(() -> answer(request, response, callback));
            }
            return true;
        }

        private void answer(Request request, Response response, Callback callback) {
            JettyExchange exchange = new JettyExchange(request, response);
            Throwable thrown = null;
            try {
                handler.handle(exchange);
            } catch (IOException e) {
                exchange.abort();
            } catch (InterruptedException e) {
                exchange.abort();
                Thread.currentThread().interrupt();
            } catch (Throwable e) {
                exchange.abort();
                thrown = e;
            }
            Throwable defect = thrown;
            JettyWebSocket socket = exchange.socket();
            if (socket != null) {
                socket.open(handshaker, handler, request, response, callback);
            } else if (exchange
                    .goesOnApart()) { // also after a failure: its first part finds the exchange aborted, and lets go of
                // what it holds
                exchange.apart()
                        .begin(
                                handler,
                                later -> end(exchange, defect == null ? later : defect, request, response, callback));
            } else {
                end(exchange, defect, request, response, callback);
            }
        }

        private static void end(
                JettyExchange exchange,
                @Nullable Throwable defect,
                Request request,
                Response response,
                Callback callback) {
            if (defect != null) {
                callback.failed(defect);
                return;
            }
            if (exchange.aborted() && (response.isCommitted() || exchange.sharesItsConnection())) {
                exchange.beginToFail();
                callback.failed(new IOException("aborted"));
                return;
            }
            byte[] lastWords = exchange.lastWords();
            if (lastWords != null && UnreadBody.of(request)) {
                UnreadBody.answer(request, response, lastWords, callback);
            } else if (lastWords != null) {
                response.write(true, ByteBuffer.wrap(lastWords), callback);
            } else {
                callback.succeeded(); // after an abort of HTTP/1 nothing of it leaves: the connection is closed
            }
        }
    }
}
