package dev.holdfast.http.jetty;

import dev.holdfast.http.Apart;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Upgrade;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * An exchange on Jetty. Writes go to the connection at once and block the virtual thread until the socket took them; nothing is buffered in
 * between, so a write is also a flush.
 *
 * <p>An abort closes the connection below the response: without the last chunk of a chunked body, and with a TCP reset where the close itself
 * would be the end of the body (HTTP/1.0).
 */
final class JettyExchange implements Exchange {

    /** A whole answer up to this size is handed to Jetty when the handler returned; the thread waits for a larger one to be taken. */
    private static final int MAX_UNWATCHED_BYTES = 64 << 10;

    private static final byte[] NOTHING = new byte[0];

    /** The few blocks that the wires have, as bytes. */
    private static final Map<Headers.Block, List<HttpField>> ENCODED = new ConcurrentHashMap<>();

    private final Request request;
    private final Response response;
    private final RequestHead head;
    private final AtomicBoolean aborted = new AtomicBoolean();
    private volatile boolean failed;
    private volatile @Nullable JettySink sink;
    private volatile byte @Nullable [] lastWords;
    private volatile @Nullable JettyWebSocket socket;
    private final Apart apart = new Apart(this);

    JettyExchange(Request request, Response response) {
        this.request = request;
        this.response = response;
        this.head = headOf(request);
        request.addFailureListener(cause -> {
            failed = true;
            apart.wake();
        });
        // A handler that waits for something to write is not idle; reads and writes that make no progress still time
        // out.
        request.addIdleTimeoutListener(timeout -> false);
    }

    private static RequestHead headOf(Request request) {
        Headers headers = new Headers();
        request.getHeaders()
                .forEach(field -> headers.add(field.getName(), field.getValue() == null ? "" : field.getValue()));
        HttpURI uri = request.getHttpURI();
        if (multiplexed(request)
                && uri.getAuthority() != null
                && !headers.all("Host").contains(uri.getAuthority())) {
            headers.add("Host", uri.getAuthority()); // beside another one it makes two, which are refused
        }
        Request.AuthenticationState authentication = Request.getAuthenticationState(request);
        return new RequestHead(
                request.getMethod(),
                "",
                uri.getPath() == null ? "" : uri.getPath(),
                uri.getQuery(),
                headers,
                request.getConnectionMetaData().getProtocol(),
                request.isSecure() ? "https" : "http",
                Request.getRemoteAddr(request),
                authentication == null || authentication.getUserPrincipal() == null
                        ? null
                        : authentication.getUserPrincipal().getName());
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public InputStream body() {
        return new JettyBody(Content.Source.asInputStream(request));
    }

    @Override
    public Sink respond(int status, Headers headers) {
        begin(status, headers);
        JettySink started = new JettySink();
        sink = started;
        return started;
    }

    @Override
    public void answer(int status, Headers headers, byte[] body) throws IOException {
        begin(status, headers);
        sink = new JettySink();
        boolean bodiless = status == 204 || status == 304;
        if (!bodiless) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        }
        byte[] sent = bodiless || head.method().equals("HEAD") ? NOTHING : body;
        if (sent.length <= MAX_UNWATCHED_BYTES) {
            lastWords = sent;
        } else {
            send(true, ByteBuffer.wrap(sent));
        }
    }

    /** What is still to be written, and ends the response; or null if the response was written by itself. */
    byte @Nullable [] lastWords() {
        return lastWords;
    }

    private void begin(int status, Headers headers) {
        if (sink != null) {
            throw new IllegalStateException("The response was begun already");
        }
        response.setStatus(status);
        HttpFields.Mutable fields = response.getHeaders();
        headers.forEachOutsideBlocks(fields::add);
        for (Headers.Block block : headers.blocks()) {
            for (HttpField field : ENCODED.computeIfAbsent(block, JettyExchange::encode)) {
                fields.add(field);
            }
        }
        if (status >= 400 && !sharesItsConnection() && UnreadBody.of(request)) {
            // Jetty closes a connection whose body was not read; a client that is not told would send its next request
            // into the void
            fields.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        }
    }

    private static List<HttpField> encode(Headers.Block block) {
        List<HttpField> fields = new ArrayList<>();
        block.forEach((name, value) -> fields.add(new PreEncodedHttpField(name, value)));
        return List.copyOf(fields);
    }

    @Override
    public void goOnApart(Rest rest) {
        apart.leave(rest);
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        upgrade.check(head);
        if (responding()) {
            throw new IllegalStateException("The response was begun already");
        }
        JettyWebSocket made = new JettyWebSocket(this, upgrade);
        apart.leave(made.upgraded());
        socket = made;
    }

    /** What the handler made of the exchange, if that is a WebSocket. */
    @Nullable
    JettyWebSocket socket() {
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
    public boolean responding() {
        return sink != null || socket != null;
    }

    /** Whether other exchanges use the connection at the same time, as in HTTP/2. */
    boolean sharesItsConnection() {
        return multiplexed(request);
    }

    private static boolean multiplexed(Request request) {
        return request.getConnectionMetaData().getHttpVersion().getVersion() >= HttpVersion.HTTP_2.getVersion();
    }

    boolean aborted() {
        return aborted.get();
    }

    @Override
    public void abort() {
        if (!aborted.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!sharesItsConnection()) {
                close();
            } // else the failed callback resets this stream and leaves the others of the connection alone
        } finally {
            apart.wake();
        }
    }

    private void close() {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_1_1
                && endPoint.getTransport() instanceof SocketChannel channel) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException | UnsupportedOperationException e) {
                failed = true; // it is closed already
            }
        }
        endPoint.close(new IOException("aborted"));
    }

    /** Commits the response, so that Jetty cannot answer a failure by a page but only by a reset. */
    void beginToFail() {
        if (!response.isCommitted()) {
            response.setStatus(HttpStatus.INTERNAL_SERVER_ERROR_500);
            try {
                Content.Sink.write(response, false, BufferUtil.EMPTY_BUFFER);
            } catch (IOException | RuntimeException e) {
                failed = true; // it is reset already
            }
        }
    }

    @Override
    public boolean gone() {
        return failed || aborted.get();
    }

    private final class JettySink implements Sink {

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length > 0) {
                send(false, ByteBuffer.wrap(bytes, offset, length));
            }
        }

        @Override
        public void flush() throws IOException {
            if (!response.isCommitted()) {
                send(false, BufferUtil.EMPTY_BUFFER);
            }
        }
    }

    private void send(boolean last, ByteBuffer bytes) throws IOException {
        if (aborted.get()) {
            throw new IOException("The exchange was aborted");
        }
        try {
            Content.Sink.write(response, last, bytes);
        } catch (IOException | RuntimeException e) {
            failed = true;
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }
}
