package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.MOUNT;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Http2Connection;
import dev.holdfast.http.Http2Connection.Seen;
import dev.holdfast.http.Http2Connection.Sending;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.stream.StreamLimits;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wire over HTTP/2 in clear text: many requests, long-polls and event streams on one connection. */
final class Http2WireTest {

    private static final byte[] NOTHING = {};

    @TempDir
    private Path folder;

    private static Seen put(Http2Connection client, String name, String type, String body, String... more)
            throws Exception {
        return client.send("PUT", MOUNT + name, bytes(body), with(type, more));
    }

    private static Seen post(Http2Connection client, String name, String type, String body, String... more)
            throws Exception {
        return client.send("POST", MOUNT + name, bytes(body), with(type, more));
    }

    private static Seen events(Http2Connection client, String name) throws Exception {
        return client.get(MOUNT + name + "?offset=-1&live=sse");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String[] with(String type, String... more) {
        List<String> headers = new ArrayList<>(List.of("Content-Type", type));
        headers.addAll(List.of(more));
        return headers.toArray(String[]::new);
    }

    private static String[] producer(int epoch, int seq) {
        return new String[] {
            "Producer-Id", "p", "Producer-Epoch", Integer.toString(epoch), "Producer-Seq", Integer.toString(seq)
        };
    }

    @Test
    void a_stream_is_created_appended_to_read_closed_and_deleted() throws Exception {
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.open(wire.server)) {
            Seen created = put(client, "s", TEXT, "a");
            assertThat(created.status()).isEqualTo(201);
            assertThat(created.header("Location")).isEqualTo("http://localhost:" + wire.server.port() + MOUNT + "s");
            assertThat(post(client, "s", TEXT, "b").status()).isEqualTo(204);
            Seen conflict = post(client, "s", TEXT, "c", "If-Match", "\"" + offset(1) + "\"");
            assertThat(conflict.status()).isEqualTo(412);
            assertThat(conflict.header("Stream-Next-Offset")).isEqualTo(offset(2));
            Seen read = client.get(MOUNT + "s");
            assertThat(read.body()).isEqualTo("ab");
            Seen again = client.get(MOUNT + "s", "If-None-Match", read.header("ETag"));
            assertThat(again.status()).isEqualTo(304);
            assertThat(client.send("POST", MOUNT + "s", NOTHING, "Stream-Closed", "TRUE")
                            .status())
                    .isEqualTo(204);
            assertThat(client.send("HEAD", MOUNT + "s", NOTHING).header("Stream-Closed"))
                    .isEqualTo("true");
            assertThat(client.send("DELETE", MOUNT + "s", NOTHING).status()).isEqualTo(204);
            assertThat(client.get(MOUNT + "s").status()).isEqualTo(404);
        }
    }

    @Test
    void a_client_that_upgrades_its_connection_does_so_too() throws Exception {
        try (StreamServer wire = new StreamServer(folder);
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .build()) {
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (String method : List.of("PUT", "POST", "GET")) {
                answers.add(client.send(
                        wire.server
                                .request(MOUNT + "s")
                                .header("Content-Type", TEXT)
                                .method(
                                        method,
                                        method.equals("GET")
                                                ? BodyPublishers.noBody()
                                                : BodyPublishers.ofString(method))
                                .build(),
                        BodyHandlers.ofString()));
            }
            assertThat(answers).extracting(HttpResponse::statusCode).containsExactly(201, 204, 200);
            assertThat(answers.getLast().body()).isEqualTo("PUTPOST");
            assertThat(answers.getLast().version()).isEqualTo(HttpClient.Version.HTTP_2);
        }
    }

    @Test
    void producers_are_told_as_over_http_1() throws Exception {
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.open(wire.server)) {
            assertThat(put(client, "s", TEXT, "").status()).isEqualTo(201);
            assertThat(post(client, "s", TEXT, "a", producer(0, 0)).status()).isEqualTo(200);
            Seen repeated = post(client, "s", TEXT, "other", producer(0, 0));
            assertThat(repeated.status()).isEqualTo(204);
            assertThat(repeated.header("Producer-Seq")).isEqualTo("0");
            Seen gap = post(client, "s", TEXT, "c", producer(0, 2));
            assertThat(gap.status()).isEqualTo(409);
            assertThat(gap.header("Producer-Expected-Seq")).isEqualTo("1");
            assertThat(gap.header("Producer-Received-Seq")).isEqualTo("2");
            assertThat(post(client, "s", TEXT, "b", producer(1, 0)).status()).isEqualTo(200);
            Seen stale = post(client, "s", TEXT, "d", producer(0, 1));
            assertThat(stale.status()).isEqualTo(403);
            assertThat(stale.header("Producer-Epoch")).isEqualTo("1");
            assertThat(client.get(MOUNT + "s").body()).isEqualTo("ab");
        }
    }

    @Test
    void appends_that_are_sent_at_once_are_all_stored_whatever_their_order() throws Exception {
        int appends = HttpLimits.MAX_STREAMS_PER_CONNECTION - 1;
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.open(wire.server)) {
            assertThat(put(client, "j", JSON, "").status()).isEqualTo(201);
            List<Seen> all = new ArrayList<>();
            for (int i = 0; i < appends; i++) {
                all.add(post(client, "j", JSON, Integer.toString(i)));
            }
            for (Seen each : all) {
                assertThat(each.status()).isEqualTo(204);
            }
            String stored = client.get(MOUNT + "j").body();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < appends; i++) {
                expected.add(Integer.toString(i));
            }
            assertThat(stored.substring(1, stored.length() - 1).split(","))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void long_polls_and_event_streams_of_one_connection_each_get_their_own() throws Exception {
        int streams = 40;
        DurableStreamsSettings patient = DurableStreamsSettings.defaults().withLongPoll(Duration.ofMinutes(2));
        try (StreamServer wire = new StreamServer(folder, patient);
                Http2Connection client = Http2Connection.open(wire.server)) {
            List<Seen> polls = new ArrayList<>();
            List<Seen> tails = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                assertThat(put(client, "s" + i, TEXT, "").status()).isEqualTo(201);
                polls.add(client.get(MOUNT + "s" + i + "?live=long-poll&offset=" + offset(0)));
                tails.add(events(client, "s" + i));
                assertThat(tails.get(i).pieces.poll(120, TimeUnit.SECONDS)).contains("event: control");
            }
            assertThat(polls).noneMatch(poll -> poll.status.isDone());
            for (int i = 0; i < streams; i++) {
                assertThat(post(client, "s" + i, TEXT, "text " + i + ".", "Stream-Closed", "true")
                                .status())
                        .isEqualTo(204);
            }
            for (int i = 0; i < streams; i++) {
                assertThat(polls.get(i).body()).isEqualTo("text " + i + ".");
                assertThat(polls.get(i).header("Stream-Next-Offset")).isEqualTo(offset(1));
                assertThat(tails.get(i).body())
                        .containsOnlyOnce("data:text " + i + ".\n")
                        .contains("\"streamClosed\":true");
            }
        }
    }

    @Test
    void a_long_poll_over_its_time_is_an_empty_answer() throws Exception {
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.open(wire.server)) {
            assertThat(put(client, "s", TEXT, "x").status()).isEqualTo(201);
            Seen over = client.get(MOUNT + "s?live=long-poll&offset=now");
            assertThat(over.status()).isEqualTo(204);
            assertThat(over.header("Stream-Next-Offset")).isEqualTo(offset(1));
            assertThat(over.header("Stream-Cursor")).isNotEmpty();
        }
    }

    @Test
    void an_event_stream_that_is_not_read_holds_up_nobody_and_then_gets_everything() throws Exception {
        int chunks = 40;
        String chunk = "#".repeat(64 << 10);
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.narrow(wire.server, 64 << 10)) {
            assertThat(put(client, "s", TEXT, "").status()).isEqualTo(201);
            Seen lazy = client.unread(MOUNT + "s?offset=-1&live=sse");
            assertThat(lazy.status()).isEqualTo(200);
            Seen quick = events(client, "s");
            for (int i = 0; i < chunks; i++) {
                assertThat(post(client, "s", TEXT, chunk).status()).isEqualTo(204);
            }
            assertThat(client.send("POST", MOUNT + "s", NOTHING, "Stream-Closed", "true")
                            .status())
                    .isEqualTo(204);
            assertThat(hashes(quick.body())).isEqualTo((long) chunks * chunk.length());
            assertThat(lazy.ended).isNotDone();
            assertThat(lazy.pieces).isEmpty();

            lazy.read();

            assertThat(hashes(lazy.body())).isEqualTo((long) chunks * chunk.length());
            assertThat(lazy.body()).contains("\"streamClosed\":true");
        }
    }

    private static long hashes(String text) {
        return text.chars().filter(c -> c == '#').count();
    }

    @Test
    void a_body_over_the_limit_is_refused_and_the_connection_goes_on() throws Exception {
        String large = "x".repeat(StreamLimits.DEFAULT_MAX_CHUNK_BYTES + 1);
        String tooLarge = "x".repeat(HttpLimits.DEFAULT_MAX_BODY_BYTES + 1);
        try (StreamServer wire = new StreamServer(folder);
                Http2Connection client = Http2Connection.open(wire.server)) {
            assertThat(put(client, "s", TEXT, "").status()).isEqualTo(201);
            assertThat(post(client, "s", TEXT, large).status()).isEqualTo(413);
            assertThat(post(client, "s", TEXT, tooLarge).status()).isEqualTo(413);
            assertThat(post(client, "s", TEXT, tooLarge, "Content-Length", Integer.toString(tooLarge.length()))
                            .status())
                    .isEqualTo(413);
            assertThat(post(client, "s", TEXT, "small").status()).isEqualTo(204);
            assertThat(client.get(MOUNT + "s").body()).isEqualTo("small");
        }
    }

    @Test
    void bodies_that_one_connection_holds_open_are_bounded_with_all_others() throws Exception {
        int limit = 100_000;
        String half = "x".repeat(limit * 3 / 5);
        DurableStreamsSettings settings = StreamServer.quick().withMaxInFlightBytes(limit);
        try (StreamServer wire = new StreamServer(folder, settings);
                Http2Connection client = Http2Connection.open(wire.server)) {
            assertThat(put(client, "s", TEXT, "").status()).isEqualTo(201);
            Sending slow = client.begin("POST", MOUNT + "s", with(TEXT));
            slow.send(bytes(half.substring(1)), false);
            await().untilAsserted(() -> {
                Seen refused = post(client, "s", TEXT, half);
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.header("Retry-After")).isEqualTo("1");
            });
            assertThat(post(client, "s", TEXT, "small").status()).isEqualTo(204);
            slow.send(bytes("x"), true);
            assertThat(slow.seen().status()).isEqualTo(204);
            await().untilAsserted(() ->
                    assertThat(post(client, "s", TEXT, half).status()).isEqualTo(204));
        }
    }
}
