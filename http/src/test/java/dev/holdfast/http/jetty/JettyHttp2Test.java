package dev.holdfast.http.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Http2Connection;
import dev.holdfast.http.Http2Connection.Seen;
import dev.holdfast.http.Http2Connection.Sending;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 in clear text by prior knowledge, seen frame by frame. That upgrades work is part of the contract of exchanges. */
final class JettyHttp2Test {

    private final CountDownLatch release = new CountDownLatch(1);
    private final LinkedBlockingQueue<Exchange> stalled = new LinkedBlockingQueue<>();
    private RunningServer server;
    private Http2Connection connection;

    @BeforeEach
    void connect() throws Exception {
        server = RunningServer.start(this::routes);
        connection = Http2Connection.open(server);
    }

    @AfterEach
    void close() throws Exception {
        release.countDown();
        connection.close();
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
        routes.add("POST", "/refused", call -> {
            throw HttpProblem.forbidden("no", "Whatever it is.");
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

    @Test
    void an_abort_resets_its_stream_and_leaves_the_others_of_the_connection_alone() throws Exception {
        Seen events = connection.get("/events");
        assertThat(events.pieces.take()).contains("retry");

        Seen aborted = connection.get("/abort");

        assertThat(aborted.reset.get(60, TimeUnit.SECONDS)).isNotEqualTo(ErrorCode.NO_ERROR.code);
        assertThat(aborted.ended).isNotDone();
        release.countDown();
        assertThat(events.body()).contains("id: 1\ndata: {}\n\n");
    }

    @Test
    void a_stream_that_is_not_read_holds_up_no_other_of_its_connection() throws Exception {
        Seen unread = connection.unread("/endless");
        assertThat(stalled.take()).isNotNull();
        for (int i = 0; i < 20; i++) {
            assertThat(connection.get("/quick").body()).isEqualTo("{}");
        }
        assertThat(unread.reset).isNotDone();
    }

    @Test
    void the_end_of_the_process_resets_a_stream_that_is_stuck_in_a_write() throws Exception {
        Seen unread = connection.unread("/endless");
        assertThat(stalled.take()).isNotNull();

        server.door().open().abortAll();

        assertThat(unread.reset.get(60, TimeUnit.SECONDS)).isNotEqualTo(ErrorCode.NO_ERROR.code);
    }

    @Test
    void an_answer_that_comes_before_the_end_of_the_body_is_not_thrown_away_by_a_reset() throws Exception {
        Sending upload = connection.begin("POST", "/refused");
        upload.send(new byte[10_000], false);
        assertThat(upload.seen().status()).isEqualTo(403);
        assertThat(upload.seen().body()).contains("Whatever it is.");

        upload.send(new byte[10_000], true);

        assertThat(connection.get("/quick").body()).isEqualTo("{}");
        assertThat(upload.seen().reset).isNotDone();
    }

    @Test
    void a_body_that_never_ends_is_cut_after_its_answer() throws Exception {
        Sending upload = connection.begin("POST", "/refused");
        assertThat(upload.seen().body()).contains("Whatever it is.");
        assertThat(upload.seen().reset.get(60, TimeUnit.SECONDS)).isNotNull();
        assertThat(connection.get("/quick").body()).isEqualTo("{}");
    }

    @Test
    void a_connection_is_told_how_many_streams_it_may_have() throws Exception {
        assertThat(connection.allowedStreams()).isEqualTo(HttpLimits.MAX_STREAMS_PER_CONNECTION);
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

            assertThat(refusal(jdk, large)).isIn("431", "cut");
        }
    }

    /** The status, or that the connection was cut, which the client may notice while it still writes. */
    private static String refusal(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            return Integer.toString(
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
        } catch (IOException e) {
            return "cut";
        }
    }

    @Test
    void the_authority_is_checked_as_the_host_is() throws Exception {
        HttpURI uri = HttpURI.from("http://evil.example/quick");
        Seen refused = connection.send(new MetaData.Request("GET", uri, HttpVersion.HTTP_2, HttpFields.build()));
        assertThat(refused.status()).isEqualTo(403);

        HttpFields.Mutable fields = HttpFields.build().put("Host", "localhost");
        Seen two = connection.send(new MetaData.Request("GET", uri, HttpVersion.HTTP_2, fields));
        assertThat(two.status()).isIn(400, 403);
    }

    @Test
    void bytes_that_are_no_frames_end_their_connection_only() throws Exception {
        assertThat(server.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense")).doesNotContain("HTTP/1.1 500");
        assertThat(connection.get("/quick").body()).isEqualTo("{}");
    }
}
