package dev.holdfast.bench.http.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What Holdfast's figures are held against: reads a request's body and answers with the same headers, encoded beforehand, from memory. It
 * checks nothing and keeps nothing, but for the events that it hands to its subscribers. Blocking, on a virtual thread for each request, as
 * the real server is.
 */
final class BareHandler extends Handler.Abstract {

    private static final List<HttpField> BROWSER = List.of(
            field("X-Content-Type-Options", "nosniff"),
            field("Cross-Origin-Resource-Policy", "cross-origin"),
            field("Access-Control-Allow-Origin", "*"),
            field(
                    "Access-Control-Expose-Headers",
                    "Stream-Next-Offset, Stream-Cursor, Stream-Up-To-Date, Stream-Closed, Stream-TTL, Stream-Expires-At, "
                            + "Stream-SSE-Data-Encoding, Stream-First-Offset, Stream-Retention-Seconds, Stream-Retention-Bytes, "
                            + "Producer-Epoch, Producer-Seq, Producer-Expected-Seq, Producer-Received-Seq, ETag, Location, "
                            + "Retry-After"));

    private static final HttpField OFFSET = field("Stream-Next-Offset", "0000000000000000_0000000000000001");

    private static final List<HttpField> READ = List.of(
            field("Content-Type", "application/octet-stream"),
            OFFSET,
            field("Stream-Up-To-Date", "true"),
            field("ETag", "\"0123456789abcdef:0:1\""),
            field("Cache-Control", "no-cache"));

    private static final List<HttpField> EVENTS = List.of(
            field("Content-Type", "text/event-stream"),
            field("Cache-Control", "no-cache"),
            field("X-Accel-Buffering", "no"));

    private static final String CONTROL = """
            event: control
            data:{"streamNextOffset":"0000000000000000_0000000000000001","streamCursor":"3377580","upToDate":true}
            id:0000000000000000_0000000000000001

            """;

    private final byte[] content;
    private final Object news = new Object();

    /** Frames of all events so far; guarded by {@link #news}. */
    private final List<byte[]> frames = new ArrayList<>();

    BareHandler(int contentBytes) {
        content = new byte[contentBytes];
        Arrays.fill(content, (byte) 'x');
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        HttpFields.Mutable headers = response.getHeaders();
        if (!request.getMethod().equals("GET")) {
            ByteBuffer body = Content.Source.asByteBuffer(request);
            if (request.getHeaders().contains(HttpHeader.CONTENT_TYPE, "application/json")) {
                publish(body);
            }
            response.setStatus(204);
            headers.add(OFFSET);
            BROWSER.forEach(headers::add);
            callback.succeeded();
        } else if (request.getHttpURI().getQuery() != null
                && request.getHttpURI().getQuery().contains("live=sse")) {
            subscribe(response);
        } else {
            READ.forEach(headers::add);
            BROWSER.forEach(headers::add);
            headers.put(HttpHeader.CONTENT_LENGTH, content.length);
            response.write(true, ByteBuffer.wrap(content), callback);
        }
        return true;
    }

    private void publish(ByteBuffer body) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes("event: data\ndata:[".getBytes(StandardCharsets.US_ASCII));
        frame.writeBytes(StandardCharsets.UTF_8.decode(body).toString().getBytes(StandardCharsets.UTF_8));
        frame.writeBytes(("]\n\n" + CONTROL).getBytes(StandardCharsets.US_ASCII));
        synchronized (news) {
            frames.add(frame.toByteArray());
            news.notifyAll();
        }
    }

    private void subscribe(Response response) throws IOException, InterruptedException {
        EVENTS.forEach(response.getHeaders()::add);
        BROWSER.forEach(response.getHeaders()::add);
        int next;
        synchronized (news) {
            next = frames.size();
        }
        Content.Sink.write(response, false, ByteBuffer.wrap(CONTROL.getBytes(StandardCharsets.US_ASCII)));
        while (true) { // until the client is gone
            byte[] frame;
            synchronized (news) {
                while (frames.size() == next) {
                    news.wait();
                }
                frame = frames.get(next++);
            }
            Content.Sink.write(response, false, ByteBuffer.wrap(frame));
        }
    }

    private static HttpField field(String name, String value) {
        return new PreEncodedHttpField(name, value);
    }
}
