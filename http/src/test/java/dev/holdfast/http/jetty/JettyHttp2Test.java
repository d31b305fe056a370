package dev.holdfast.http.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 in clear text by prior knowledge, seen frame by frame. That upgrades work is part of the contract of exchanges. */
final class JettyHttp2Test {

    private final CountDownLatch release = new CountDownLatch(1);
    private final LinkedBlockingQueue<Exchange> stalled = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> allowedStreams = new CompletableFuture<>();
    private final HTTP2Client client = new HTTP2Client();
    private RunningServer server;
    private Session session;

    @BeforeEach
    void connect() throws Exception {
        server = RunningServer.start(this::routes);
        client.start();
        session = client.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), new Session.Listener() {
                            @Override
                            public void onSettings(Session session, SettingsFrame frame) {
                                Integer streams = frame.getSettings().get(SettingsFrame.MAX_CONCURRENT_STREAMS);
                                if (streams != null) {
                                    allowedStreams.complete(streams);
                                }
                            }
                        })
                .get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        release.countDown();
        client.stop();
        server.close();
    }

    private void routes(Router.Builder routes) {
        routes.add("GET", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
        routes.add("GET", "/events", call -> {
            SseWriter out = SseWriter.open(call.exchange(), SseSettings.defaults());
            out.frames().event(null, "1", ByteBuffer.wrap("{}".getBytes(StandardCharsets.UTF_8)));
            out.flush();
            release.await();
        });
        routes.add("GET", "/abort", call -> {
            call.exchange().respond(200, new Headers()).write("half".getBytes(StandardCharsets.UTF_8));
            call.exchange().abort();
        });
        routes.add("GET", "/endless", call -> {
            Exchange.Sink sink = call.exchange().respond(200, new Headers());
            stalled.add(call.exchange());
            while (true) {
                sink.write(new byte[64 << 10]);
            }
        });
    }

    /** What became of a stream. */
    private static final class Seen implements Stream.Listener {
        final StringBuilder data = new StringBuilder();
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final CompletableFuture<Integer> reset = new CompletableFuture<>();
        final CompletableFuture<String> ended = new CompletableFuture<>();
        final LinkedBlockingQueue<String> pieces = new LinkedBlockingQueue<>();
        private final boolean reads;

        Seen(boolean reads) {
            this.reads = reads;
        }

        @Override
        public void onHeaders(Stream stream, HeadersFrame frame) {
            status.complete(((MetaData.Response) frame.getMetaData()).getStatus());
            if (frame.isEndStream()) {
                ended.complete("");
            } else if (reads) {
                stream.demand();
            }
        }

        @Override
        public void onDataAvailable(Stream stream) {
            Stream.Data read = stream.readData();
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
            stream.demand();
        }

        @Override
        public void onReset(Stream stream, ResetFrame frame, Callback callback) {
            reset.complete(frame.getError());
            callback.succeeded();
        }
    }

    private Seen get(String path) throws Exception {
        return get(path, true);
    }

    private Seen get(String path, boolean reads) throws Exception {
        HttpURI uri = HttpURI.from("http://localhost:" + server.port() + path);
        MetaData.Request head = new MetaData.Request("GET", uri, HttpVersion.HTTP_2, HttpFields.build());
        Seen seen = new Seen(reads);
        Stream unused =
                session.newStream(new HeadersFrame(head, null, true), seen).get(10, TimeUnit.SECONDS);
        return seen;
    }

    @Test
    void an_abort_resets_its_stream_and_leaves_the_others_of_the_connection_alone() throws Exception {
        Seen events = get("/events");
        assertThat(events.pieces.take()).contains("retry");

        Seen aborted = get("/abort");

        assertThat(aborted.reset.get(10, TimeUnit.SECONDS)).isNotEqualTo(ErrorCode.NO_ERROR.code);
        assertThat(aborted.ended).isNotDone();
        release.countDown();
        assertThat(events.ended.get(10, TimeUnit.SECONDS)).contains("id: 1\ndata: {}\n\n");
    }

    @Test
    void a_stream_that_is_not_read_holds_up_no_other_of_its_connection() throws Exception {
        Seen unread = get("/endless", false);
        assertThat(stalled.take()).isNotNull();
        for (int i = 0; i < 20; i++) {
            assertThat(get("/quick").ended.get(10, TimeUnit.SECONDS)).isEqualTo("{}");
        }
        assertThat(unread.reset).isNotDone();
    }

    @Test
    void the_end_of_the_process_resets_a_stream_that_is_stuck_in_a_write() throws Exception {
        Seen unread = get("/endless", false);
        assertThat(stalled.take()).isNotNull();

        server.door().open().abortAll();

        assertThat(unread.reset.get(10, TimeUnit.SECONDS)).isNotEqualTo(ErrorCode.NO_ERROR.code);
    }

    @Test
    void a_connection_is_told_how_many_streams_it_may_have() throws Exception {
        assertThat(allowedStreams.get(10, TimeUnit.SECONDS)).isEqualTo(HttpLimits.MAX_STREAMS_PER_CONNECTION);
    }

    @Test
    void a_head_beyond_the_limit_is_refused() throws Exception {
        try (HttpClient jdk =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            var upgraded = jdk.send(server.request("/quick").build(), HttpResponse.BodyHandlers.ofString());
            assertThat(upgraded.version()).isEqualTo(HttpClient.Version.HTTP_2);

            HttpRequest large = server.request("/quick")
                    .header("X-Long", "a".repeat(HttpLimits.MAX_REQUEST_HEAD_BYTES))
                    .build();

            assertThat(refusal(jdk, large)).matches("431 .*|.*(reset|GOAWAY|header|closed|EOF).*");
        }
    }

    private static String refusal(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void the_authority_is_checked_as_the_host_is() throws Exception {
        HttpURI uri = HttpURI.from("http://evil.example/quick");
        Seen refused = new Seen(true);
        Stream unused = session.newStream(
                        new HeadersFrame(
                                new MetaData.Request("GET", uri, HttpVersion.HTTP_2, HttpFields.build()), null, true),
                        refused)
                .get(10, TimeUnit.SECONDS);
        assertThat(refused.status.get(10, TimeUnit.SECONDS)).isEqualTo(403);

        Seen two = new Seen(true);
        HttpFields.Mutable fields = HttpFields.build().put("Host", "localhost");
        Stream unusedToo = session.newStream(
                        new HeadersFrame(new MetaData.Request("GET", uri, HttpVersion.HTTP_2, fields), null, true), two)
                .get(10, TimeUnit.SECONDS);
        assertThat(two.status.get(10, TimeUnit.SECONDS)).isIn(400, 403);
    }

    @Test
    void bytes_that_are_no_frames_end_their_connection_only() throws Exception {
        assertThat(server.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense")).doesNotContain("HTTP/1.1 500");
        assertThat(get("/quick").ended.get(10, TimeUnit.SECONDS)).isEqualTo("{}");
    }
}
