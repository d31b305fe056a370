package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.stream.StreamListing;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creating streams: what the published suite leaves out. */
final class CreateStreamTest {

    private static final String[] FORWARDED = {
        "X-Forwarded-Proto", "https",
        "X-Forwarded-Host", "x.example:8443, inner",
        "Forwarded", "For=\"[::1]\";Proto=https;host=\"f.example:9\", host=inner"
    };

    @TempDir
    private Path folder;

    @Test
    void the_location_is_the_address_that_the_client_sees() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            HttpResponse<byte[]> direct = wire.put("a/b%20c", TEXT);
            assertThat(direct.statusCode()).isEqualTo(201);
            assertThat(header(direct, "Location"))
                    .isEqualTo("http://127.0.0.1:" + wire.server.port() + "/v1/stream/a/b%20c");
        }
    }

    @ParameterizedTest
    @CsvSource({"NONE, http://127.0.0.1:%d", "X_FORWARDED, https://x.example:8443", "FORWARDED, https://f.example:9"})
    void what_a_proxy_says_of_the_address_counts_only_if_the_proxy_is_trusted(ProxyHeaders trusted, String address)
            throws Exception {
        try (StreamServer wire = new StreamServer(folder, StreamServer.quick().withProxy(trusted))) {
            assertThat(header(wire.put("p", TEXT, FORWARDED), "Location"))
                    .isEqualTo(address.formatted(wire.server.port()) + "/v1/stream/p");
        }
    }

    @ParameterizedTest
    @EnumSource(ProxyHeaders.class)
    void what_is_no_address_never_counts(ProxyHeaders trusted) throws Exception {
        try (StreamServer wire = new StreamServer(folder, StreamServer.quick().withProxy(trusted))) {
            String own = "http://127.0.0.1:" + wire.server.port() + "/v1/stream/";
            List<String> hosts = List.of("evil/..?x=", "", "\"", "a b", "user@evil", "x".repeat(300), "a\\b", "=;,");
            for (int i = 0; i < hosts.size(); i++) {
                HttpResponse<byte[]> forged = wire.put(
                        "q" + i,
                        TEXT,
                        "X-Forwarded-Proto",
                        "javascript",
                        "X-Forwarded-Host",
                        hosts.get(i),
                        "Forwarded",
                        "proto=javascript;host=\"" + hosts.get(i) + "\"");
                assertThat(header(forged, "Location")).isEqualTo(own + "q" + i);
            }
            assertThat(header(wire.put("r", TEXT, "Forwarded", "for=1.2.3.4, host=second.example"), "Location"))
                    .isEqualTo(own + "r");
        }
    }

    @Test
    void the_content_type_comes_back_as_it_was_sent() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            for (String type :
                    List.of("text/plain", "application/json; charset=utf-8", "Text/Plain;Charset=X", "a/b")) {
                String name = Integer.toHexString(type.hashCode());
                assertThat(header(wire.put(name, type), "Content-Type")).isEqualTo(type);
                assertThat(header(wire.get(name), "Content-Type")).isEqualTo(type);
                assertThat(header(wire.send("HEAD", name, null), "Content-Type"))
                        .isEqualTo(type);
            }
            wire.send("PUT", "none", null);
            assertThat(header(wire.get("none"), "Content-Type")).isEqualTo("application/octet-stream");
        }
    }

    @Test
    void a_body_of_unknown_length_is_taken_whole() throws Exception {
        byte[] body = "x".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        try (StreamServer wire = new StreamServer(folder)) {
            for (String method : List.of("PUT", "POST")) {
                HttpResponse<byte[]> answer = wire.server
                        .client()
                        .send(
                                wire.server
                                        .request(StreamServer.MOUNT + "chunked")
                                        .header("Content-Type", TEXT)
                                        .method(
                                                method,
                                                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                                        .build(),
                                BodyHandlers.ofByteArray());
                assertThat(answer.statusCode()).isBetween(200, 204);
            }
            assertThat(wire.get("chunked").body()).hasSize(200_000);
            assertThat(header(wire.get("chunked"), "Stream-Next-Offset")).isEqualTo(offset(2));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true,true",
        "TRUE,true",
        "True,true",
        "' true ',true",
        "1,false",
        "yes,false",
        "false,false",
        "'',false"
    })
    void closed_is_true_in_any_case_and_nothing_else(String value, boolean closed) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            assertThat(header(wire.put("c", TEXT, "Stream-Closed", value), "Stream-Closed"))
                    .isEqualTo(closed ? "true" : "");
            wire.put("p", TEXT);
            wire.post("p", TEXT, "x", "Stream-Closed", value);
            assertThat(wire.post("p", TEXT, "y").statusCode()).isEqualTo(closed ? 409 : 204);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Stream-TTL, -1",
        "Stream-TTL, +1",
        "Stream-TTL, 01",
        "Stream-TTL, 1.0",
        "Stream-TTL, 1e3",
        "Stream-TTL, ''",
        "Stream-TTL, 0x10",
        "Stream-TTL, 99999999999999999999",
        "Stream-TTL, 999999999999999999",
        "Stream-Expires-At, tomorrow",
        "Stream-Expires-At, 2030-01-31",
        "Stream-Expires-At, 2030-01-31T12:00:00",
        "Stream-Expires-At, 2030-01-31T12:00Z",
        "Stream-Expires-At, 2030-02-30T12:00:00Z",
        "Stream-Expires-At, ''",
        "Stream-Expires-At, 1900000000"
    })
    void a_life_that_is_none_is_refused(String name, String value) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            assertThat(wire.put("s", TEXT, name, value).statusCode()).isEqualTo(400);
            assertThat(wire.get("s").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void lives_come_back_as_set_and_count_as_configuration() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("ttl", TEXT, "Stream-TTL", "3600");
            assertThat(header(wire.send("HEAD", "ttl", null), "Stream-TTL")).isEqualTo("3600");
            assertThat(wire.put("ttl", TEXT, "Stream-TTL", "3600").statusCode()).isEqualTo(200);
            assertThat(wire.put("ttl", TEXT, "Stream-TTL", "60").statusCode()).isEqualTo(409);
            assertThat(wire.put("ttl", TEXT).statusCode()).isEqualTo(409);
            wire.put("at", TEXT, "Stream-Expires-At", "2130-01-31T13:00:00+01:00");
            assertThat(header(wire.send("HEAD", "at", null), "Stream-Expires-At"))
                    .isEqualTo("2130-01-31T12:00:00Z");
            assertThat(wire.put("at", TEXT, "Stream-Expires-At", "2130-01-31T12:00:00Z")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void json_bodies_start_a_stream_message_by_message_and_an_empty_array_starts_it_empty() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            HttpResponse<byte[]> two = wire.send("PUT", "two", bytes("[1, 2]"), "Content-Type", JSON);
            assertThat(header(two, "Stream-Next-Offset")).isEqualTo(offset(2));
            HttpResponse<byte[]> none = wire.send("PUT", "none", bytes("[]"), "Content-Type", JSON);
            assertThat(none.statusCode()).isEqualTo(201);
            assertThat(text(wire.get("none"))).isEqualTo("[]");
            assertThat(wire.send("PUT", "bad", bytes("{"), "Content-Type", JSON).statusCode())
                    .isEqualTo(400);
            assertThat(wire.get("bad").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void a_create_that_was_answered_is_there_for_whoever_comes_next() throws Exception {
        int streams = 300;
        try (StreamServer wire = new StreamServer(folder);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<List<Integer>>> answers = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                String name = "burst-" + i;
                answers.add(clients.submit(() -> {
                    start.await();
                    return List.of(
                            wire.put(name, TEXT).statusCode(),
                            wire.post(name, TEXT, "x").statusCode(),
                            wire.get(name).statusCode());
                }));
            }
            start.countDown();
            for (Future<List<Integer>> each : answers) {
                assertThat(each.get()).containsExactly(201, 204, 200);
            }
        }
    }

    @Test
    void one_of_many_equal_creates_makes_the_stream_and_its_body_counts() throws Exception {
        try (StreamServer wire = new StreamServer(folder);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(clients.submit(() -> wire.send("PUT", "one", bytes("x"), "Content-Type", TEXT)
                        .statusCode()));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> each : answers) {
                statuses.add(each.get());
            }
            assertThat(statuses).containsOnly(200, 201).containsOnlyOnce(201);
            assertThat(text(wire.get("one"))).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a//b",
                "/a",
                "a/",
                "a/./b",
                "a/../b",
                "..",
                ".",
                "%2e%2e",
                "a%2fb",
                "a%5Cb",
                "a%00b",
                "a%0d%0ab",
                "a%7fb",
                "%c3",
                "%ff",
                "a%",
                "a%2",
                "a%zz",
                "turn/1/x",
                "mcp/session/stream",
                "mcp-task/1",
                "__ds",
                "__ds/subscriptions/x"
            })
    void names_that_could_mean_two_things_or_belong_to_others_are_refused(String name) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            for (String method : List.of("PUT", "GET", "POST", "DELETE")) {
                String answer = wire.server.raw(
                        method + " /v1/stream/" + name
                                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx");
                assertThat(answer).startsWith("HTTP/1.1 4");
            }
            assertThat(wire.holdfast.streams().list(StreamListing.all())).isEmpty();
        }
    }

    @Test
    void names_are_unicode_with_slashes_and_as_long_as_core_allows() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            for (String name :
                    List.of("a/b/c", "%E2%82%AC/%F0%9F%98%80", "a.b", ".hidden", "a;b=c", "a%3Ab", "x".repeat(256))) {
                assertThat(wire.put(name, TEXT).statusCode()).as(name).isEqualTo(201);
                assertThat(wire.get(name).statusCode()).as(name).isEqualTo(200);
            }
            assertThat(wire.holdfast.streams().status("€/😀")).isPresent();
            assertThat(wire.put("a:b", TEXT).statusCode())
                    .as("the same name, not escaped")
                    .isEqualTo(200);
            assertThat(wire.put("x".repeat(257), TEXT).statusCode()).isEqualTo(400);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
