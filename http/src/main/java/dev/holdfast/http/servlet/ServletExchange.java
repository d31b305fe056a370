package dev.holdfast.http.servlet;

import dev.holdfast.http.Apart;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Handshake;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.PathSegments;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Upgrade;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An exchange in a servlet container. The head is copied when it begins, so that nothing of the request is asked once the container may have
 * given it up; from then on every write fails.
 */
final class ServletExchange implements Exchange {

    /** Body that a refused request sent unasked and that is read away to keep its connection. */
    private static final int MAX_SKIPPED_BYTES = 64 << 10;

    /** Body of a refused request that is dropped after the answer, so that the client gets to read it. */
    private static final int MAX_DROPPED_BYTES = 16 << 20;

    /** Where a context has its {@code ServerContainer}, by the specification of Jakarta WebSocket. */
    private static final String WEBSOCKETS = "jakarta.websocket.server.ServerContainer";

    private static final Duration MAX_DROPPING = Duration.ofSeconds(5);

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final RequestHead head;
    private final AtomicBoolean aborted = new AtomicBoolean();
    private volatile boolean failed;
    private volatile boolean over;
    private volatile boolean bodyUnread;
    private volatile @Nullable ServletSink sink;
    private volatile @Nullable ServletSocket socket;
    private final boolean async;
    private final Apart apart = new Apart(this);

    ServletExchange(HttpServletRequest request, HttpServletResponse response, HttpHandler handler) {
        this.request = request;
        this.response = response;
        this.head = headOf(request);
        this.async = request.isAsyncSupported() && !(Handshake.isAsked(head) && handler.mayUpgrade(head));
    }

    /**
     * Whether the request may be made asynchronous, so that it can do without a thread of the container. One that may become a WebSocket may not:
     * containers upgrade only on their own threads.
     */
    boolean async() {
        return async;
    }

    private static RequestHead headOf(HttpServletRequest request) {
        Headers headers = new Headers();
        for (String name : Collections.list(request.getHeaderNames())) {
            Collections.list(request.getHeaders(name)).forEach(value -> headers.add(name, value));
        }
        if (multiplexed(request) && headers.first("Host").isEmpty()) {
            headers.set("Host", request.getServerName() + ":" + request.getServerPort()); // from :authority
        }
        String mount = mountOf(request);
        return new RequestHead(
                request.getMethod(),
                mount,
                PathSegments.below(request.getRequestURI(), mount),
                request.getQueryString(),
                headers,
                request.getProtocol(),
                request.getScheme(),
                request.getRemoteAddr(),
                request.getRemoteUser());
    }

    /** Whether other exchanges use the connection at the same time, as in HTTP/2. */
    private static boolean multiplexed(HttpServletRequest request) {
        return !request.getProtocol().startsWith("HTTP/1");
    }

    /** From the mapping's pattern, and not the servlet path, which some containers refuse to tell for a path with an escaped slash. */
    private static String mountOf(HttpServletRequest request) {
        String pattern = request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH
                ? request.getHttpServletMapping().getPattern()
                : "";
        String mount = pattern.endsWith("/*") ? pattern.substring(0, pattern.length() - 2) : "";
        return request.getContextPath() + mount;
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public InputStream body() {
        try {
            return request.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Sink respond(int status, Headers headers) {
        if (sink != null) {
            throw new IllegalStateException("The response was begun already");
        }
        response.setStatus(status);
        headers.forEach(response::addHeader);
        if (headers.first("Content-Type")
                .filter(type -> !type.contains("charset="))
                .isPresent()) {
            response.setCharacterEncoding((String) null); // containers guess one, and add it to the type
        }
        bodyUnread = status >= 400 && !bodyTaken();
        if (bodyUnread && !multiplexed(request)) {
            response.setHeader("Connection", "close");
        }
        ServletSink started = new ServletSink();
        sink = started;
        return started;
    }

    /** Whether nothing of the request's body is on its way any more. */
    private boolean bodyTaken() {
        long announced = request.getContentLengthLong();
        if (announced == 0
                || (announced < 0 && !multiplexed(request) && request.getHeader("Transfer-Encoding") == null)) {
            return true;
        }
        try {
            ServletInputStream body = request.getInputStream();
            byte[] skipped = new byte[4 << 10];
            int total = 0;
            while (!body.isFinished() && total < MAX_SKIPPED_BYTES && body.available() > 0) {
                total += Math.max(0, body.read(skipped));
            }
            return body.isFinished() || total == request.getContentLengthLong();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Sends what there is of a refusal, and drops what still comes of the request's body: containers close or reset what was not read, and
     * clients throw the answer away with it. Waits for each piece as long as the container lets a request be idle.
     */
    void outlastBody() {
        if (!bodyUnread
                || gone()
                || request.getHeader("Expect") != null) { // who asks first sends nothing after a refusal
            return;
        }
        try {
            response.getOutputStream().close();
            InputStream body = request.getInputStream();
            byte[] dropped = new byte[16 << 10];
            long end = System.nanoTime() + MAX_DROPPING.toNanos();
            int read = 0;
            for (int total = 0; read >= 0 && total < MAX_DROPPED_BYTES && System.nanoTime() - end < 0; total += read) {
                read = body.read(dropped);
            }
        } catch (IOException | RuntimeException e) {
            failed = true; // the client left, or the container had enough of it
        }
    }

    @Override
    public boolean responding() {
        return sink != null || socket != null;
    }

    /** Takes effect when the exchange's thread writes or returns; one that has none at the moment gets one for it. */
    @Override
    public void abort() {
        aborted.set(true);
        ServletSocket open = socket;
        if (open != null) {
            open.cut();
        }
        apart.wake();
    }

    @Override
    public void goOnApart(Rest rest) throws IOException, InterruptedException {
        if (async) {
            apart.leave(rest);
        } else {
            Exchange.super.goOnApart(rest);
        }
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        upgrade.check(head);
        if (responding()) {
            throw new IllegalStateException("The response was begun already");
        }
        Object container = request.getServletContext().getAttribute(WEBSOCKETS);
        if (container == null) {
            throw HttpProblem.noWebSockets();
        }
        ServletSocket made = ServletWebSocket.of(this, container, request, response, upgrade);
        apart.leave(made.upgraded());
        socket = made;
    }

    /** What the handler made of the exchange, if that is a WebSocket. */
    @Nullable
    ServletSocket socket() {
        return socket;
    }

    /** The client is gone, or has closed. */
    void left() {
        failed = true;
        apart.wake();
    }

    @Override
    public boolean goesOnApart() {
        return apart.isLeft();
    }

    /** How it goes on when the handler has returned. */
    Apart apart() {
        return apart;
    }

    @Override
    public boolean gone() {
        return failed || over || aborted.get();
    }

    boolean aborted() {
        return aborted.get();
    }

    /** Whether the container has given the request up. */
    boolean over() {
        return over;
    }

    /** Commits the response, so that a failure cannot be answered by a page but only by a cut. */
    void beginToFail() throws IOException {
        if (!response.isCommitted()) {
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            response.flushBuffer();
        }
    }

    AsyncListener listener() {
        return new Listener();
    }

    private final class Listener implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            over = true;
            apart.wake();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            failed = true;
            apart.wake();
        }

        @Override
        public void onError(AsyncEvent event) {
            failed = true;
            apart.wake();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }

    private final class ServletSink implements Sink {

        private @Nullable ServletOutputStream stream;

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            attempt(() -> stream().write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            attempt(response::flushBuffer);
        }

        private ServletOutputStream stream() throws IOException {
            ServletOutputStream opened = stream;
            if (opened == null) {
                opened = response.getOutputStream();
                stream = opened;
            }
            return opened;
        }

        private void attempt(Write write) throws IOException {
            if (gone()) {
                throw new IOException("The exchange is over");
            }
            try {
                write.run();
            } catch (IOException
                    | RuntimeException e) { // some containers answer a late write with an IllegalStateException
                failed = true;
                throw e instanceof IOException io ? io : new IOException(e);
            }
        }
    }

    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }
}
