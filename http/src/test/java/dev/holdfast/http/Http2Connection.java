package dev.holdfast.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One connection of HTTP/2 in clear text by prior knowledge, seen frame by frame, with any number of requests at once. */
public final class Http2Connection implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 120;

    private final HTTP2Client client = new HTTP2Client();
    private final CompletableFuture<Integer> allowedStreams = new CompletableFuture<>();
    private final int port;
    private final Session session;

    private Http2Connection(int port, int streamWindowBytes) throws Exception {
        this.port = port;
        if (streamWindowBytes > 0) {
            client.setInitialStreamRecvWindow(streamWindowBytes);
        }
        client.start();
        session = client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), new Session.Listener() {
                    @Override
                    public void onSettings(Session session, SettingsFrame frame) {
                        Integer streams = frame.getSettings().get(SettingsFrame.MAX_CONCURRENT_STREAMS);
                        if (streams != null) {
                            allowedStreams.complete(streams);
                        }
                    }
                })
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    public static Http2Connection open(RunningServer server) throws Exception {
        return new Http2Connection(server.port(), 0);
    }

    /** One whose server may send only so much of each answer before it is read. */
    public static Http2Connection narrow(RunningServer server, int streamWindowBytes) throws Exception {
        return new Http2Connection(server.port(), streamWindowBytes);
    }

    /** What a request came to. */
    public static final class Seen implements Stream.Listener {
        public final CompletableFuture<Integer> status = new CompletableFuture<>();
        public final CompletableFuture<Integer> reset = new CompletableFuture<>();
        public final CompletableFuture<String> ended = new CompletableFuture<>();
        public final LinkedBlockingQueue<String> pieces = new LinkedBlockingQueue<>();
        private final StringBuilder data = new StringBuilder();
        private volatile boolean reads;
        private volatile HttpFields headers = HttpFields.EMPTY;
        private volatile @Nullable Stream stream;

        private Seen(boolean reads) {
            this.reads = reads;
        }

        @Override
        public void onHeaders(Stream answering, HeadersFrame frame) {
            MetaData.Response head = (MetaData.Response) frame.getMetaData();
            headers = head.getHttpFields();
            stream = answering;
            status.complete(head.getStatus());
            if (frame.isEndStream()) {
                ended.complete("");
            } else if (reads) {
                answering.demand();
            }
        }

        @Override
        public void onDataAvailable(Stream answering) {
            Stream.Data read = answering.readData();
            if (read != null) {
                String piece = StandardCharsets.UTF_8
                        .decode(read.frame().getByteBuffer())
                        .toString();
                data.append(piece);
                pieces.add(piece);
                boolean last = read.frame().isEndStream();
                read.release();
                if (last) {
                    ended.complete(data.toString());
                    return;
                }
            }
            answering.demand();
        }

        @Override
        public void onReset(Stream answering, ResetFrame frame, Callback callback) {
            reset.complete(frame.getError());
            callback.succeeded();
        }

        public int status() throws Exception {
            return status.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        /** The whole body, once it ended. */
        public String body() throws Exception {
            return ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        public String header(String name) throws Exception {
            int unused = status();
            String value = headers.get(name);
            return value == null ? "" : value;
        }

        /** Begins to read what was not read. */
        public void read() throws Exception {
            int unused = status();
            reads = true;
            Stream answering = stream;
            if (answering != null) {
                answering.demand();
            }
        }
    }

    /** A request whose body goes on. */
    public record Sending(Stream stream, Seen seen) {

        /** Sends more of the body, and waits until it left unless it is the last. */
        public void send(byte[] more, boolean last) throws Exception {
            CompletableFuture<Stream> sent = stream.data(new DataFrame(stream.getId(), ByteBuffer.wrap(more), last));
            if (!last) {
                Stream unused = sent.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** How many requests at once the server allows. */
    public int allowedStreams() throws Exception {
        return allowedStreams.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    public Seen get(String path, String... headers) throws Exception {
        return begin("GET", path, true, true, headers).seen();
    }

    /** A request whose answer nobody reads before {@link Seen#read}. */
    public Seen unread(String path) throws Exception {
        return begin("GET", path, false, true).seen();
    }

    /** A request with its whole body. */
    public Seen send(String method, String path, byte[] body, String... headers) throws Exception {
        Sending sending = begin(method, path, true, false, headers);
        sending.send(body, true);
        return sending.seen();
    }

    /** A request without its body. */
    public Sending begin(String method, String path, String... headers) throws Exception {
        return begin(method, path, true, false, headers);
    }

    private Sending begin(String method, String path, boolean reads, boolean end, String... headers) throws Exception {
        HttpFields.Mutable fields = HttpFields.build();
        for (int i = 0; i < headers.length; i += 2) {
            fields.add(headers[i], headers[i + 1]);
        }
        HttpURI uri = HttpURI.from("http://localhost:" + port + path);
        return begin(new MetaData.Request(method, uri, HttpVersion.HTTP_2, fields), reads, end);
    }

    /** A request without a body, with a head of one's own. */
    public Seen send(MetaData.Request head) throws Exception {
        return begin(head, true, true).seen();
    }

    private Sending begin(MetaData.Request head, boolean reads, boolean end) throws Exception {
        Seen seen = new Seen(reads);
        Stream stream =
                session.newStream(new HeadersFrame(head, null, end), seen).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return new Sending(stream, seen);
    }

    @Override
    public void close() {
        try {
            client.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The client did not stop", e);
        }
    }
}
