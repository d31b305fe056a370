package dev.holdfast.verification.durablestreams;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.durablestreams.DurableStreams;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.verification.rig.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long streams of the wire and their chunks live, with time in the test's hand. */
final class WireLifeTest {

    private static final String[] NONE = {};

    @TempDir
    private Path folder;

    private final ManualClock clock = new ManualClock();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Holdfast holdfast;
    private JettyServer jetty;

    @BeforeEach
    void open() throws IOException {
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults()
                        .withStore(new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock))
                        .withTime(clock, clock::timers));
        DurableStreams wire = new DurableStreams(holdfast, Authorizer.allowAll(), DurableStreamsSettings.defaults());
        FrontDoor door = new FrontDoor(
                Router.builder().mount(wire).build(), Trust.loopback(Holdfast.DEFAULT_TENANT), HttpLimits.defaults());
        jetty = new JettyServer("127.0.0.1", 0, HttpLimits.defaults(), door);
        jetty.start();
    }

    @AfterEach
    void close() {
        jetty.close();
        holdfast.close();
        client.shutdownNow();
    }

    private void restart() throws IOException {
        jetty.close();
        holdfast.close();
        open();
    }

    private HttpResponse<InputStream> send(String method, String target, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + jetty.port() + "/v1/stream/" + target))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofInputStream());
    }

    /** The status; whatever else the answer has is left. */
    private int status(String method, String target, String body, String... headers)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = send(method, target, body, headers);
        answer.body().close();
        return answer.statusCode();
    }

    private void create(String... headers) throws IOException, InterruptedException {
        String[] all = new String[headers.length + 2];
        all[0] = "Content-Type";
        all[1] = "text/plain";
        System.arraycopy(headers, 0, all, 2, headers.length);
        assertThat(status("PUT", "s", "x", all)).isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, s, '', ''",
        "GET, s?offset=now, '', ''",
        "GET, s?offset=-1&live=long-poll, '', ''",
        "GET, s?offset=-1&live=sse, '', ''",
        "POST, s, y, Content-Type text/plain",
        "POST, s, '', Stream-Closed true",
        "POST, s, '', Stream-Closed true Producer-Id p Producer-Epoch 0 Producer-Seq 0"
    })
    void a_sliding_life_begins_anew_with_each_read_and_write(String method, String target, String body, String headers)
            throws Exception {
        create("Stream-TTL", "100");
        String[] fields = headers.isEmpty() ? NONE : headers.split(" ", -1);
        for (int i = 0; i < 2; i++) {
            clock.advance(Duration.ofSeconds(60));
            assertThat(status(method, target, body, fields)).isBetween(200, 204);
            clock.advance(Duration.ofSeconds(39));
            restart();
            assertThat(status("HEAD", "s", "")).isEqualTo(200);
        }
        clock.advance(Duration.ofMinutes(2)); // a restart may lengthen a life by a tenth
        untilGone();
        assertThat(status("GET", "s", "")).isEqualTo(404);
        assertThat(status("POST", "s", "x", "Content-Type", "text/plain")).isEqualTo(404);
        create("Stream-TTL", "7");
    }

    @Test
    void looking_at_the_head_is_no_use() throws Exception {
        create("Stream-TTL", "100");
        clock.advance(Duration.ofSeconds(60));
        assertThat(status("HEAD", "s", "")).isEqualTo(200);
        clock.advance(Duration.ofSeconds(40));
        untilGone();
    }

    /** It is as soon as the commit that its time led to. */
    private void untilGone() {
        await().untilAsserted(() -> assertThat(status("HEAD", "s", "")).isEqualTo(404));
    }

    @ParameterizedTest
    @ValueSource(strings = {"s", "s?offset=-1&live=sse", "s?offset=-1&live=long-poll"})
    void a_fixed_expiry_is_moved_by_nothing(String read) throws Exception {
        create(
                "Stream-Expires-At",
                Instant.ofEpochMilli(clock.wallMillis()).plusSeconds(100).toString());
        clock.advance(Duration.ofSeconds(99));
        assertThat(status("GET", read, "")).isEqualTo(200);
        restart();
        assertThat(status("GET", read, "")).isEqualTo(200);
        clock.advance(Duration.ofSeconds(1));
        untilGone();
        assertThat(status("GET", read, "")).isEqualTo(404);
    }

    @Test
    void chunks_beyond_the_age_that_is_kept_are_410_and_tell_where_the_rest_begins() throws Exception {
        create("Stream-Retention-Seconds", "100");
        clock.advance(Duration.ofSeconds(200));
        assertThat(status("POST", "s", "new", "Content-Type", "text/plain")).isEqualTo(204);
        await().untilAsserted(() -> {
            clock.advance(Duration.ofSeconds(1));
            HttpResponse<InputStream> gone = send("GET", "s?offset=0000000000000000_0000000000000000", "");
            gone.body().close();
            assertThat(gone.statusCode()).isEqualTo(410);
            assertThat(gone.headers().firstValue("Stream-First-Offset")).hasValue("0000000000000000_0000000000000001");
        });
        try (InputStream rest = send("GET", "s", "").body()) {
            assertThat(rest.readAllBytes()).asString().isEqualTo("new");
        }
    }
}
