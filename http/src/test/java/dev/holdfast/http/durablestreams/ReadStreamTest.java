package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.http.Trust;
import dev.holdfast.http.durablestreams.DurableStreamsSettings.Origins;
import dev.holdfast.stream.StreamWriter;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading what is there: what the published suite leaves out. */
final class ReadStreamTest {

    @TempDir
    private Path folder;

    @Test
    void an_etag_is_of_one_creation_of_the_stream() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            wire.post("s", TEXT, "a");
            String etag = header(wire.get("s"), "ETag");
            assertThat(wire.get("s", "If-None-Match", etag).statusCode()).isEqualTo(304);
            assertThat(wire.get("s", "If-None-Match", "\"x\", " + etag).statusCode())
                    .isEqualTo(304);
            assertThat(wire.get("s", "If-None-Match", "\"x\"").statusCode()).isEqualTo(200);
            wire.send("DELETE", "s", null);
            wire.put("s", TEXT);
            wire.post("s", TEXT, "b");
            HttpResponse<byte[]> anew = wire.get("s", "If-None-Match", etag);
            assertThat(anew.statusCode()).isEqualTo(200);
            assertThat(text(anew)).isEqualTo("b");
            String open = header(anew, "ETag");
            wire.send("POST", "s", null, "Stream-Closed", "true");
            assertThat(wire.get("s", "If-None-Match", open).statusCode()).isEqualTo(200);
            assertThat(header(wire.get("s"), "ETag")).isNotEqualTo(open).endsWith(":c\"");
        }
    }

    @Test
    void caches_keep_what_never_changes_and_ask_about_the_rest() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            wire.post("s", TEXT, "a");
            assertThat(header(wire.get("s"), "Cache-Control")).isEqualTo("no-cache");
            assertThat(header(wire.get("s?offset=now"), "Cache-Control")).isEqualTo("no-store");
            assertThat(wire.get("s?offset=now").headers().firstValue("ETag")).isEmpty();
            assertThat(header(wire.send("HEAD", "s", null), "Cache-Control")).isEqualTo("no-store");
            wire.send("POST", "s", null, "Stream-Closed", "true");
            assertThat(header(wire.get("s"), "Cache-Control"))
                    .isEqualTo("public, max-age=60, stale-while-revalidate=300");
        }
    }

    @Test
    void answers_to_a_key_are_not_for_caches_that_others_use() throws Exception {
        Trust keys = new Trust("default", ApiKeys.of("default", List.of("a-long-secret")), Set.of(), Set.of());
        try (StreamServer wire = new StreamServer(folder, StreamServer.quick(), HoldfastSettings.defaults(), keys)) {
            String[] key = {"Authorization", "Bearer a-long-secret"};
            assertThat(wire.put("s", TEXT).statusCode()).isEqualTo(401);
            assertThat(wire.put("s", TEXT, "Authorization", key[1], "Stream-Closed", "true")
                            .statusCode())
                    .isEqualTo(201);
            assertThat(wire.get("s").statusCode()).isEqualTo(401);
            assertThat(header(wire.get("s", key), "Cache-Control")).startsWith("private, ");
            assertThat(wire.send("OPTIONS", "s", null).statusCode())
                    .as("a preflight has no key")
                    .isEqualTo(204);
        }
    }

    @Test
    void pages_follow_each_other_to_the_exact_bytes() throws Exception {
        Random random = new Random(7);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (StreamServer wire = new StreamServer(folder)) {
            wire.send("PUT", "s", null);
            StreamWriter writer = wire.holdfast.streams().open("s");
            for (int i = 0; i < 12; i++) {
                byte[] chunk = new byte[900_000];
                random.nextBytes(chunk);
                all.writeBytes(chunk);
                writer.append(chunk);
            }
            wire.send("POST", "s", null, "Stream-Closed", "true");
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            String next = "-1";
            int pages = 0;
            for (boolean last = false; !last; pages++) {
                HttpResponse<byte[]> page = wire.get("s?offset=" + next);
                read.writeBytes(page.body());
                next = header(page, "Stream-Next-Offset");
                last = header(page, "Stream-Closed").equals("true");
                assertThat(header(page, "Stream-Up-To-Date")).isEqualTo(last ? "true" : "");
                assertThat(header(page, "Cache-Control")).startsWith("public");
            }
            assertThat(pages).isGreaterThan(2);
            assertThat(read.toByteArray()).isEqualTo(all.toByteArray());
        }
    }

    @Test
    void the_last_few_can_be_had() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", JSON);
            wire.post("j", JSON, "[1,2,3,4,5]");
            assertThat(text(wire.get("j?tail=2"))).isEqualTo("[4,5]");
            assertThat(text(wire.get("j?tail=0"))).isEqualTo("[]");
            assertThat(text(wire.get("j?tail=100"))).isEqualTo("[1,2,3,4,5]");
            assertThat(text(wire.get("j?tail=1&live=long-poll"))).isEqualTo("[5]");
            for (String bad : List.of("tail=", "tail=-1", "tail=x", "tail=1&tail=2", "tail=1&offset=-1")) {
                assertThat(wire.get("j?" + bad).statusCode()).as(bad).isEqualTo(400);
            }
        }
    }

    @Test
    void what_was_trimmed_is_gone_and_the_beginning_is_what_is_left() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", JSON);
            wire.post("j", JSON, "[1,2,3,4,5]");
            wire.holdfast.streams().trim("j", 3);
            HttpResponse<byte[]> gone = wire.get("j?offset=" + offset(1));
            assertThat(gone.statusCode()).isEqualTo(410);
            assertThat(header(gone, "Stream-First-Offset")).isEqualTo(offset(3));
            assertThat(text(wire.get("j"))).isEqualTo("[4,5]");
            assertThat(text(wire.get("j?offset=-1"))).isEqualTo("[4,5]");
            assertThat(text(wire.get("j?tail=4"))).isEqualTo("[4,5]");
            assertThat(wire.get("j?live=sse&offset=" + offset(1)).statusCode()).isEqualTo(410);
            assertThat(header(wire.send("HEAD", "j", null), "Stream-First-Offset"))
                    .isEqualTo(offset(3));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "offset=",
                "offset",
                "offset=a",
                "offset=-1&offset=-1",
                "offset=0%201",
                "offset=0+1",
                "offset=0,1",
                "offset=..",
                "offset=%00",
                "offset=0_1%0d%0a",
                "offset=%ff",
                "offset=%",
                "live=sse",
                "live=long-poll",
                "live=",
                "live=push&offset=-1",
                "offset=9999999999999999_9999999999999999",
                "offset=0000000000000000_0000000000000099"
            })
    void reads_that_make_no_sense_are_refused_and_the_answer_is_for_browsers_too(String query) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            String answer = wire.server.raw("GET /v1/stream/s?" + query
                    + " HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\nConnection: close\r\n\r\n");
            assertThat(answer)
                    .startsWith("HTTP/1.1 400")
                    .containsIgnoringCase("access-control-allow-origin: *")
                    .containsIgnoringCase("x-content-type-options: nosniff")
                    .containsIgnoringCase("cross-origin-resource-policy: cross-origin");
        }
    }

    @Test
    void pages_may_see_every_field_of_the_protocol_in_answers_and_send_every_one() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            for (HttpResponse<byte[]> answer : List.of(
                    wire.put("s", TEXT),
                    wire.get("s"),
                    wire.get("none"),
                    wire.get("s?offset=x"),
                    wire.post("s", "a/b", "x"))) {
                assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(header(answer, "Cross-Origin-Resource-Policy")).isEqualTo("cross-origin");
                assertThat(header(answer, "Access-Control-Allow-Origin")).isEqualTo("*");
                assertThat(header(answer, "Access-Control-Expose-Headers").split(", "))
                        .contains(
                                "Stream-Next-Offset",
                                "Stream-Cursor",
                                "Stream-Up-To-Date",
                                "Stream-Closed",
                                "Stream-TTL",
                                "Stream-Expires-At",
                                "Stream-SSE-Data-Encoding",
                                "ETag",
                                "Location",
                                "Retry-After",
                                "Producer-Epoch",
                                "Producer-Seq",
                                "Producer-Expected-Seq",
                                "Producer-Received-Seq");
            }
            assertThat(header(wire.send("OPTIONS", "s", null), "Access-Control-Allow-Headers")
                            .split(", "))
                    .contains(
                            "Content-Type",
                            "If-None-Match",
                            "If-Match",
                            "Last-Event-ID",
                            "Stream-Seq",
                            "Stream-Closed",
                            "Stream-TTL",
                            "Stream-Expires-At",
                            "Stream-Forked-From",
                            "Stream-Fork-Offset",
                            "Stream-Fork-Sub-Offset",
                            "Producer-Id",
                            "Producer-Epoch",
                            "Producer-Seq");
        }
    }

    @Test
    void other_parameters_are_ignored_up_to_a_number_of_them() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            assertThat(wire.get("s?a=1&a=2&b&=&&offset=-1").statusCode()).isEqualTo(200);
            assertThat(wire.get("s?" + "a=1&".repeat(40)).statusCode()).isEqualTo(400);
        }
    }

    @Test
    void pages_of_other_sites_may_call_unless_they_are_to_be_listed() throws Exception {
        String[] foreign = {"Origin", "https://other.example"};
        String[] listed = {"Origin", "https://listed.example"};
        try (StreamServer wire = new StreamServer(folder.resolve("any"))) {
            HttpResponse<byte[]> any = wire.put("s", TEXT, foreign);
            assertThat(any.statusCode()).isEqualTo(201);
            assertThat(any.headers().allValues("Access-Control-Allow-Origin")).containsExactly("*");
            HttpResponse<byte[]> preflight = wire.send("OPTIONS", "s", null, foreign);
            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(header(preflight, "Access-Control-Allow-Headers")).contains("If-None-Match", "Stream-Seq");
            assertThat(header(preflight, "Access-Control-Allow-Methods")).contains("PUT", "DELETE");
            for (String reserved : List.of("__ds/subscriptions/x", "__ds/subscriptions/jwks.json")) {
                assertThat(wire.send("PUT", reserved, new byte[0], foreign).statusCode())
                        .as(reserved)
                        .isEqualTo(403);
            }
        }
        try (StreamServer wire = new StreamServer(
                folder.resolve("listed"),
                StreamServer.quick().withOrigins(Origins.LISTED),
                HoldfastSettings.defaults(),
                StreamServer.listing("https://listed.example"))) {
            assertThat(wire.put("s", TEXT, foreign).statusCode()).isEqualTo(403);
            HttpResponse<byte[]> own = wire.put("s", TEXT, listed);
            assertThat(own.statusCode()).isEqualTo(201);
            assertThat(own.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly("https://listed.example");
            assertThat(header(own, "Access-Control-Expose-Headers")).contains("Stream-Next-Offset");
            HttpResponse<byte[]> preflight =
                    wire.send("OPTIONS", "s", null, "Origin", listed[1], "Access-Control-Request-Method", "PUT");
            assertThat(header(preflight, "Access-Control-Allow-Methods")).contains("PUT");
            assertThat(wire.put("s", TEXT).headers().firstValue("Access-Control-Allow-Origin"))
                    .isEmpty();
        }
    }

    @Test
    void another_method_is_told_which_there_are() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            HttpResponse<byte[]> patch = wire.send("PATCH", "s", "x".getBytes(StandardCharsets.UTF_8));
            assertThat(patch.statusCode()).isEqualTo(405);
            assertThat(header(patch, "Allow")).contains("PUT");
        }
    }

    @Test
    void the_wire_can_be_mounted_elsewhere() throws Exception {
        try (StreamServer wire = new StreamServer(folder, StreamServer.quick().withPrefix("/streams"))) {
            assertThat(wire.get("s").statusCode()).isEqualTo(404);
            assertThat(wire.server.get("/streams/s").statusCode()).isEqualTo(404);
            wire.holdfast.streams(Holdfast.DEFAULT_TENANT).open("s").append("x");
            assertThat(wire.server.get("/streams/s").body()).isEqualTo("x");
        }
    }
}
