package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole server with the demo: as a user meets it first. */
final class HoldfastServerTest {

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    private HoldfastServer start(String... more) throws Exception {
        return start(Duration.ofMillis(1), more);
    }

    /** One whose demo says a word at this pace. */
    private HoldfastServer start(Duration pace, String... more) throws Exception {
        List<String> options =
                new ArrayList<>(List.of("--port", "0", "--data", folder.toString(), "--drain-grace", "0"));
        options.addAll(List.of(more));
        ServerSettings settings = Parsed.settings(options.toArray(String[]::new));
        return HoldfastServer.start(settings, Agents.of(settings, pace));
    }

    private HttpResponse<String> post(HoldfastServer server, String path, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(server.uri().resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<InputStream> watch(URI uri) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private static final String EVENTS = "/api/v1/sessions/s/turns/t/events";

    private void startTurn(HoldfastServer server) throws Exception {
        assertThat(post(server, "/api/v1/sessions", "{\"id\":\"s\"}").statusCode())
                .isEqualTo(201);
        assertThat(post(
                                server,
                                "/api/v1/sessions/s/turns",
                                "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"text\":\"Hello\"}}")
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void the_demo_answers_a_turn_to_its_end() throws Exception {
        try (HoldfastServer server = start()) {
            startTurn(server);
            String events =
                    new String(watch(server.uri().resolve(EVENTS)).body().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(events).contains("text-delta", "event: turn-ended", "\"outcome\":\"completed\"");
        }
    }

    @Test
    void a_drain_cuts_who_watches_and_the_next_start_takes_the_turn_up_again() throws Exception {
        HoldfastServer first = start(Duration.ofHours(1)); // in the middle of its answer, whenever that is looked at
        startTurn(first);
        HttpResponse<InputStream> watching = watch(first.uri().resolve(EVENTS));
        BufferedReader lines = new BufferedReader(new InputStreamReader(watching.body(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (!line.startsWith("data: ")) {
            line = lines.readLine();
        }
        first.close();
        assertThatThrownBy(() -> lines.lines().forEach(each -> assertThat(each).doesNotContain("turn-ended")))
                .hasCauseInstanceOf(IOException.class);
        try (HoldfastServer second = start()) {
            String events =
                    new String(watch(second.uri().resolve(EVENTS)).body().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(events).contains("event: turn-ended", "\"outcome\":\"completed\"");
        }
    }

    @Test
    void with_a_key_nothing_is_told_without_it() throws Exception {
        try (HoldfastServer server = start("--api-key", "secret-key-1")) {
            assertThat(watch(server.uri().resolve("/api/v1/sessions")).statusCode())
                    .isEqualTo(401);
            assertThat(watch(server.uri().resolve("/healthz")).statusCode()).isEqualTo(200);
            HttpResponse<String> with = client.send(
                    HttpRequest.newBuilder(server.uri().resolve("/api/v1/sessions"))
                            .header("Authorization", "Bearer secret-key-1")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(with.statusCode()).isEqualTo(200);
        }
    }
}
