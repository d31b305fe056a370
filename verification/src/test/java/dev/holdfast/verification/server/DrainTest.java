package dev.holdfast.verification.server;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.verification.rig.Http;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server does that is asked to end: a real process, real signals, and a provider that answers as fast as the test says. */
final class DrainTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int FIRST_EVENTS = 6;
    private static final int ALL_EVENTS = 100_000;
    private static final String TURN = "/api/v1/sessions/s/turns/t";

    @TempDir
    private Path scratch;

    private final LoopbackUpstream provider = LoopbackUpstream.start(Pace.gated());

    @AfterEach
    void closeProvider() {
        provider.close();
    }

    private ServerProcess start(String grace) {
        return ServerProcess.start(
                scratch,
                scratch.resolve("data"),
                0,
                "--model-url",
                provider.baseUrl().toString(),
                "--model-name",
                "openai-chat-text",
                "--drain-grace",
                grace);
    }

    /** A turn that is not started, and leaves nothing, while the session is busy. */
    private static String turn(String id) {
        return "{\"id\":\"%s\",\"policy\":\"drop\",\"message\":{\"id\":\"m-%s\",\"text\":\"Hello\"}}".formatted(id, id);
    }

    private static BufferedReader watch(Http http, String path) throws IOException, InterruptedException {
        return new BufferedReader(new InputStreamReader(http.watch(path), StandardCharsets.UTF_8));
    }

    private static void readUntilData(BufferedReader events) throws IOException {
        for (String line = events.readLine(); !line.startsWith("data: "); line = events.readLine()) {
            assertThat(line).isNotNull();
        }
    }

    /** A turn runs, and its first chunks were seen. */
    private BufferedReader startTurn(Http http) throws IOException, InterruptedException {
        assertThat(http.post("/api/v1/sessions", "{\"id\":\"s\"}").statusCode()).isEqualTo(201);
        assertThat(http.post("/api/v1/sessions/s/turns", turn("t")).statusCode())
                .isEqualTo(201);
        provider.release(FIRST_EVENTS);
        BufferedReader events = watch(http, TURN + "/events");
        readUntilData(events);
        return events;
    }

    private static void awaitCompleted(Http http) {
        await().atMost(PATIENCE).until(() -> http.get(TURN).body().contains("\"state\":\"completed\""));
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void a_drain_refuses_new_turns_lets_the_running_one_finish_and_cuts_who_watches(String signal, int code)
            throws Exception {
        try (ServerProcess server = start("1h");
                Http http = new Http(server.uri())) {
            BufferedReader unread = startTurn(http);
            BufferedReader feed = watch(http, "/api/v1/sessions/s/feed");
            readUntilData(feed);

            server.signal(signal);
            await().atMost(PATIENCE).until(() -> http.get("/healthz").statusCode() == 503);
            assertThat(http.get("/healthz").body()).contains("\"draining\"");
            await().atMost(PATIENCE)
                    .until(() ->
                            http.post("/api/v1/sessions/s/turns", turn("late")).statusCode() == 503);
            HttpResponse<String> late = http.post("/api/v1/sessions/s/turns", turn("later"));
            assertThat(late.body()).contains("urn:holdfast:problem:closed");
            assertThat(late.headers().firstValue("Retry-After")).isPresent();

            provider.release(ALL_EVENTS);
            assertThatThrownBy(() -> feed.lines().forEach(line -> {}))
                    .as("a cut, and never a clean end")
                    .hasCauseInstanceOf(IOException.class);
            assertThat(server.end()).as(server.log()).isEqualTo(code);
            unread.close();
        }
        assertThat(provider.requests()).as("the provider was asked once").hasSize(1);
        try (ServerProcess server = start("0");
                Http http = new Http(server.uri())) {
            assertThat(http.get(TURN).body()).contains("\"state\":\"completed\"", "\"attempts\":1");
            assertThat(http.get("/api/v1/sessions/s/turns/late").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void a_turn_that_outlasts_the_grace_goes_on_after_the_next_start() throws Exception {
        try (ServerProcess server = start("0");
                Http http = new Http(server.uri())) {
            BufferedReader events = startTurn(http);
            server.signal("TERM");
            assertThatThrownBy(() ->
                            events.lines().forEach(line -> assertThat(line).doesNotContain("turn-ended")))
                    .hasCauseInstanceOf(IOException.class);
            assertThat(server.end()).as(server.log()).isEqualTo(143);
        }
        try (ServerProcess server = start("0");
                Http http = new Http(server.uri())) {
            provider.release(ALL_EVENTS);
            awaitCompleted(http);
            assertThat(server.terminate()).isEqualTo(143);
        }
        assertThat(provider.requests()).hasSize(2);
    }

    @Test
    void the_ready_line_is_the_only_one_on_standard_output() {
        try (ServerProcess server = ServerProcess.start(scratch, scratch.resolve("data"), 0)) {
            assertThat(server.uri().toString()).matches("http://127\\.0\\.0\\.1:[1-9][0-9]*");
            assertThat(server.terminate()).isEqualTo(143);
        }
    }
}
