package dev.holdfast.verification.chat;

import static org.awaitility.Awaitility.await;

import dev.holdfast.http.chat.ChatSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A chat as a plain client over HTTP sees it: what it posts, reads on and loads. */
final class ChatPage {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final String DATA = "data: ";

    private final HttpClient http = HttpClient.newHttpClient();
    private final String chat;
    private final String path;

    ChatPage(String chat) {
        this(chat, ChatSettings.DEFAULT_PATH);
    }

    /**
     * @param path of the wire
     */
    ChatPage(String chat, String path) {
        this.chat = chat;
        this.path = path;
    }

    /** A response that is read line by line, until it ends or is cut. */
    static final class Answer implements AutoCloseable {
        private final HttpResponse<InputStream> response;
        private final BufferedReader lines;

        private Answer(HttpResponse<InputStream> response) {
            this.response = response;
            this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        int status() {
            return response.statusCode();
        }

        /** Whether the text came before the end. */
        boolean readTo(String text) {
            try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.contains(text)) {
                        return true;
                    }
                }
                return false;
            } catch (IOException e) {
                return false; // cut
            }
        }

        /** The chunks up to the end or the cut; the last is {@code [DONE]} if it ended. */
        List<String> rest() {
            List<String> chunks = new ArrayList<>();
            try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith(DATA)) {
                        chunks.add(line.substring(DATA.length()));
                    }
                }
            } catch (IOException e) {
                return chunks; // cut
            }
            return chunks;
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    Answer post(URI server, String text) throws IOException, InterruptedException {
        return post(server, text, ChatSettings.DEFAULT_MAJOR);
    }

    /** As a client of this major of the AI SDK. */
    Answer post(URI server, String text, int major) throws IOException, InterruptedException {
        String body =
                "{\"id\":\"%s\",\"message\":{\"id\":\"m1\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}}"
                        .formatted(chat, text);
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .header("Content-Type", "application/json")
                .header("X-AI-SDK-Version", Integer.toString(major))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return new Answer(http.send(request, HttpResponse.BodyHandlers.ofInputStream()));
    }

    Answer resume(URI server) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path + "/" + chat + "/stream"))
                .build();
        return new Answer(http.send(request, HttpResponse.BodyHandlers.ofInputStream()));
    }

    JsonNode load(URI server) throws IOException, InterruptedException {
        return json(HttpRequest.newBuilder(server.resolve(path + "/" + chat)).build());
    }

    JsonNode stop(URI server) throws IOException, InterruptedException {
        return json(HttpRequest.newBuilder(server.resolve(path + "/" + chat + "/stop"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    /** The turns that are being recovered, as the JSON API tells. */
    JsonNode incidents(URI server) throws IOException, InterruptedException {
        return json(HttpRequest.newBuilder(server.resolve("/api/v1/sessions/" + chat + "/incidents"))
                        .build())
                .get("incidents");
    }

    private JsonNode json(HttpRequest request) throws IOException, InterruptedException {
        return JSON.readTree(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    /** Reads on, again and again, until there is nothing live, as a page does whose connection breaks. Returns the chat as it is then. */
    JsonNode outcome(URI server) {
        return await().atMost(LONGEST)
                .until(() -> readOn(server), loaded -> !loaded.get("live").booleanValue());
    }

    private JsonNode readOn(URI server) throws IOException, InterruptedException {
        try (Answer answer = resume(server)) {
            boolean unused = answer.status() == 200 && answer.readTo("[DONE]");
        }
        return load(server);
    }

    /** The texts of all messages, root first. */
    static List<String> texts(JsonNode loaded) {
        return loaded.get("messages")
                .valueStream()
                .map(message -> message.get("parts")
                        .valueStream()
                        .filter(part -> part.get("type").stringValue().equals("text"))
                        .map(part -> part.get("text").stringValue())
                        .reduce("", String::concat))
                .toList();
    }
}
