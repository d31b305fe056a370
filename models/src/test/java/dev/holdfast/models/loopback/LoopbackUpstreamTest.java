package dev.holdfast.models.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Leash;
import java.io.BufferedReader;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoopbackUpstreamTest {

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void messages_are_replayed_with_the_type_of_each_event() throws Exception {
        try (LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited())) {
            List<String> lines = post(upstream.baseUrl() + "/messages", "{\"model\":\"anthropic-messages-web-search\"}")
                    .body()
                    .lines()
                    .toList();
            List<String> events = Recording.named("anthropic-messages-web-search")
                    .orElseThrow()
                    .events();
            assertThat(lines.get(0)).isEqualTo("event: message_start");
            assertThat(lines.stream().filter(line -> line.startsWith("data: ")).map(line -> line.substring(6)))
                    .isEqualTo(events);
        }
    }

    @Test
    void an_unknown_model_is_refused_with_the_names_of_those_there_are() throws Exception {
        try (LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited())) {
            HttpResponse<String> answer = post(upstream.baseUrl() + "/chat/completions", "{\"model\":\"gpt-9\"}");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).contains("openai-chat-text");
        }
    }

    @Test
    void it_runs_as_a_process_of_its_own() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path").replace(';', File.pathSeparatorChar),
                        Leash.class.getName(),
                        LoopbackUpstream.class.getName(),
                        "--port",
                        "0")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            assertThat(line).startsWith("Loopback upstream listening on http://127.0.0.1:");
            String url = line.substring(line.indexOf("http"));
            assertThat(post(url + "/chat/completions", "{\"model\":\"openai-chat-text\"}")
                            .body())
                    .endsWith("data: [DONE]\n\n");
        } finally {
            process.destroyForcibly();
        }
    }

    private HttpResponse<String> post(String url, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(url))
                        .version(HttpClient.Version.HTTP_1_1)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }
}
