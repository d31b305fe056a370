package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpPeer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the host keeps for a session's clients. */
@ParameterizedClass
@EnumSource
final class BootRoutesTest {

    private final Where where;

    private static final String PATH = "/api/v1/sessions/s/boot";

    @TempDir
    private Path folder;

    BootRoutesTest(Where where) {
        this.where = where;
    }

    private static int put(HttpPeer server, String body) throws IOException, InterruptedException {
        HttpRequest request = server.request(PATH)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return server.client()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void it_is_written_read_and_removed() throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            assertThat(put(wire.http, "{}")).isEqualTo(404);
            wire.there.create("s");
            assertThat(wire.http.get(PATH).statusCode()).isEqualTo(404);
            assertThat(put(wire.http, "{\"title\": \"Hi\"}")).isEqualTo(204);
            assertThat(wire.http.get(PATH).body()).isEqualTo("{\"title\":\"Hi\"}");
            HttpRequest delete = wire.http.request(PATH).DELETE().build();
            assertThat(wire.http
                            .client()
                            .send(delete, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(204);
            assertThat(wire.http.get(PATH).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void what_is_no_json_or_too_large_is_refused_and_changes_nothing() throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            wire.there.create("s");
            assertThat(put(wire.http, "1")).isEqualTo(204);
            assertThat(put(wire.http, "{oops")).isEqualTo(400);
            assertThat(put(wire.http, "")).isEqualTo(400);
            assertThat(put(wire.http, "\"" + "x".repeat(64 << 10) + "\"")).isEqualTo(413);
            assertThat(wire.http.get(PATH).body()).isEqualTo("1");
        }
    }

    @Test
    void what_the_host_computes_wins_and_is_stored() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withBoot(Plan.Host.COMPUTES));
                Line line = wire.connect()) {
            wire.there.create("s");
            line.done(Wire.watching("s", null));
            assertThat(line.next("attached").get("boot").get("for").stringValue())
                    .isEqualTo("s");
            assertThat(wire.there.property("s", Boot.PROPERTY).orElseThrow()).contains("\"s\"");
        }
    }

    @Test
    void a_host_that_fails_to_compute_it_breaks_nothing() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withBoot(Plan.Host.FAILS));
                Line line = wire.connect()) {
            wire.there.create("s");
            wire.there.put("s", Boot.PROPERTY, "7");
            line.done(Wire.watching("s", null));
            assertThat(line.next("attached").get("boot").intValue()).isEqualTo(7);
        }
    }
}
