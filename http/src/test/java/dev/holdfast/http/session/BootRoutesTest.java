package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.RunningServer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the host keeps for a session's clients. */
final class BootRoutesTest {

    private static final String PATH = "/api/v1/sessions/s/boot";

    @TempDir
    private Path folder;

    private static int put(RunningServer server, String body) throws IOException, InterruptedException {
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
        try (Wire wire = Wire.open(folder)) {
            assertThat(put(wire.server, "{}")).isEqualTo(404);
            wire.holdfast.sessions().create("s");
            assertThat(wire.server.get(PATH).statusCode()).isEqualTo(404);
            assertThat(put(wire.server, "{\"title\": \"Hi\"}")).isEqualTo(204);
            assertThat(wire.server.get(PATH).body()).isEqualTo("{\"title\":\"Hi\"}");
            HttpRequest delete = wire.server.request(PATH).DELETE().build();
            assertThat(wire.server
                            .client()
                            .send(delete, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(204);
            assertThat(wire.server.get(PATH).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void what_is_no_json_or_too_large_is_refused_and_changes_nothing() throws Exception {
        try (Wire wire = Wire.open(folder)) {
            wire.holdfast.sessions().create("s");
            assertThat(put(wire.server, "1")).isEqualTo(204);
            assertThat(put(wire.server, "{oops")).isEqualTo(400);
            assertThat(put(wire.server, "")).isEqualTo(400);
            assertThat(put(wire.server, "\"" + "x".repeat(64 << 10) + "\"")).isEqualTo(413);
            assertThat(wire.server.get(PATH).body()).isEqualTo("1");
        }
    }

    @Test
    void what_the_host_computes_wins_and_is_stored() throws Exception {
        BootContext computed = session -> Optional.of("{\"for\":\"" + session.id() + "\"}");
        try (Wire wire = Wire.open(folder, settings -> settings.withBoot(computed));
                Line line = wire.connect()) {
            wire.holdfast.sessions().create("s");
            line.done(Wire.watching("s", null));
            assertThat(line.next("attached").get("boot").get("for").stringValue())
                    .isEqualTo("s");
            assertThat(wire.holdfast
                            .sessions()
                            .get("s")
                            .properties()
                            .get(Boot.PROPERTY)
                            .orElseThrow()
                            .text())
                    .contains("\"s\"");
        }
    }

    @Test
    void a_host_that_fails_to_compute_it_breaks_nothing() throws Exception {
        BootContext failing = session -> {
            throw new IllegalStateException("no database today");
        };
        try (Wire wire = Wire.open(folder, settings -> settings.withBoot(failing));
                Line line = wire.connect()) {
            wire.holdfast.sessions().create("s").properties().put(Boot.PROPERTY, "7");
            line.done(Wire.watching("s", null));
            assertThat(line.next("attached").get("boot").intValue()).isEqualTo(7);
        }
    }
}
