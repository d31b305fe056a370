package dev.holdfast.verification.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Main;
import dev.holdfast.verification.rig.Child;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole server in Tomcat, in a process of its own. */
final class ServletServerTest {

    private static final String READY = "Holdfast listening on ";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_turn_runs_to_its_end_through_the_servlet_binding() throws Exception {
        AtomicReference<String> ready = new AtomicReference<>("");
        try (Child server = Child.start(
                folder,
                Main.class,
                "serve",
                "--binding",
                "tomcat",
                "--port",
                "0",
                "--data",
                folder.resolve("data").toString())) {
            server.readUntil(line -> line.startsWith(READY), ready::set);
            URI root = URI.create(ready.get().substring(READY.length()));

            assertThat(post(root.resolve("/api/v1/sessions"), "{\"id\":\"s\"}")).isEqualTo(201);
            assertThat(post(
                            root.resolve("/api/v1/sessions/s/turns"),
                            "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"text\":\"Hello\"}}"))
                    .isEqualTo(201);

            assertThat(get(root.resolve("/api/v1/sessions/s/turns/t/events")))
                    .contains("text-delta", "event: turn-ended", "\"outcome\":\"completed\"");
        }
    }

    private int post(URI uri, String json) throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(uri)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(json))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private String get(URI uri) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
