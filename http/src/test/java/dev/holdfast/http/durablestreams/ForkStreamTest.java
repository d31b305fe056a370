package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.Trust;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forking: what the published suite leaves out. */
final class ForkStreamTest {

    private static final String FROM = "Stream-Forked-From";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "Stream-Fork-Offset, x",
        "Stream-Fork-Offset, ''",
        "Stream-Fork-Offset, 1_0",
        "Stream-Fork-Offset, -2",
        "Stream-Fork-Offset, 0_3",
        "Stream-Fork-Sub-Offset, -1",
        "Stream-Fork-Sub-Offset, 01",
        "Stream-Fork-Sub-Offset, 99999999999999999999"
    })
    void a_point_that_is_none_is_refused_and_holds_nothing(String name, String value) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("a", TEXT);
            wire.post("a", TEXT, "one");
            assertThat(wire.send("PUT", "b", null, FROM, "/v1/stream/a", name, value)
                            .statusCode())
                    .isEqualTo(400);
            assertThat(wire.send("DELETE", "a", null).statusCode()).isEqualTo(204);
            assertThat(wire.get("a").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void who_may_not_read_a_stream_may_not_fork_it_either() throws Exception {
        Authorizer keeper = (principal, action, resource) -> {
            if (action == Action.READ && resource.equals(new Resource.OneStream("secret"))) {
                throw new NotAuthorized("This stream is not yours.");
            }
        };
        Trust trust = Trust.loopback(Holdfast.DEFAULT_TENANT);
        try (StreamServer wire =
                new StreamServer(folder, StreamServer.quick(), HoldfastSettings.defaults(), trust, keeper)) {
            wire.put("secret", TEXT);
            wire.post("secret", TEXT, "one");
            assertThat(wire.send("PUT", "mine", null, FROM, "/v1/stream/secret").statusCode())
                    .isEqualTo(403);
            assertThat(wire.get("mine").statusCode()).isEqualTo(404);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a, 400",
        "/a, 400",
        "/v1/streams/a, 400",
        "/v1/stream, 400",
        "/v1/stream/, 400",
        "/v1/stream/../a, 400",
        "/v1/stream/a%2fb, 400",
        "http://127.0.0.1/v1/stream/a, 400",
        "/v1/stream/turn/1/x, 403",
        "/v1/stream/none, 404"
    })
    void a_source_is_the_path_of_a_stream_that_is_served(String source, int status) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("a", TEXT);
            assertThat(wire.send("PUT", "b", null, FROM, source).statusCode()).isEqualTo(status);
            assertThat(wire.get("b").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void a_fork_begins_at_an_offset_the_beginning_or_the_tail() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("a", TEXT);
            wire.post("a", TEXT, "one");
            wire.post("a", TEXT, "two");
            for (String at : new String[] {"-1", "now", offset(1)}) {
                wire.send("PUT", "b" + at, null, FROM, "/v1/stream/a", "Stream-Fork-Offset", at);
            }
            assertThat(text(wire.get("b-1"))).isEmpty();
            assertThat(text(wire.get("bnow"))).isEqualTo("onetwo");
            assertThat(text(wire.get("b" + offset(1)))).isEqualTo("one");
        }
    }

    @Test
    void the_body_comes_behind_what_is_inherited_and_is_read_as_the_source_is() throws Exception {
        byte[] body = "[3,4]".getBytes(StandardCharsets.UTF_8);
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("a", JSON);
            wire.post("a", JSON, "[1,2]");
            assertThat(header(wire.send("PUT", "b", body, FROM, "/v1/stream/a"), "Stream-Next-Offset"))
                    .isEqualTo(offset(4));
            assertThat(text(wire.get("b"))).isEqualTo("[1,2,3,4]");
            assertThat(wire.send("PUT", "c", "{".getBytes(StandardCharsets.UTF_8), FROM, "/v1/stream/a")
                            .statusCode())
                    .isEqualTo(400);
        }
    }
}
