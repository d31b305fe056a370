package dev.holdfast.server.demo;

import dev.holdfast.Holdfast;
import dev.holdfast.session.Message;
import dev.holdfast.stream.StreamListing;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * One act: start a turn, watch it, kill the server in the middle, start it again, come back with the cursor, and judge. The verdict uses the
 * chunks the client got, the recording itself, and the store opened anew once the server is gone.
 */
final class Act {

    private static final String SESSION = "demo";
    private static final String TURN = "turn-1";
    private static final String API = "/api/v1/sessions/" + SESSION;

    private final String title;
    private final Script script;
    private final PrintWriter out;
    private final Path folder;
    private final String upstream;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Act(String title, Script script, PrintWriter out, Path folder, String upstream) {
        this.title = title;
        this.script = script;
        this.out = out;
        this.folder = folder;
        this.upstream = upstream;
    }

    /** Plays it and returns whether the verdict is as promised. */
    boolean play() throws IOException, InterruptedException {
        Files.createDirectories(folder);
        out.println();
        out.println(title);
        out.println();
        Watcher watcher = new Watcher(client, out);
        Watcher.Left left;
        int port;
        try (ChildProcess server = serve(0)) {
            port = URI.create(server.url()).getPort();
            begin(server.url());
            out.print("  ");
            left = watcher.watch(events(server.url()), Script.KILL_AFTER_CHUNKS);
            server.kill();
            out.println();
            out.println();
            out.println("  >> kill -9 of the server (process %d) after %d chunks <<"
                    .formatted(server.pid(), watcher.total()));
        }
        try (ChildProcess server = serve(port)) {
            out.println("  >> started again; the client comes back with its cursor <<");
            out.println();
            out.print("  ");
            while (watcher.watch(events(server.url()), Integer.MAX_VALUE) == Watcher.Left.LOST) {
                out.println("  >> the connection broke; again <<");
            }
            out.println();
            server.end();
        }
        return judge(watcher, left == Watcher.Left.ENOUGH, found());
    }

    private ChildProcess serve(int port) throws IOException {
        return ChildProcess.server(
                folder.resolve("data"),
                folder.resolve("server-" + (port == 0 ? 1 : 2) + ".log"),
                port,
                script,
                upstream);
    }

    private void begin(String url) throws IOException, InterruptedException {
        post(url + "/api/v1/sessions", "{\"id\":%s}".formatted(Json.quote(SESSION)));
        post(
                url + API + "/turns",
                "{\"id\":%s,\"message\":{\"id\":\"ask-1\",\"role\":\"user\",\"text\":\"Please answer.\"}}"
                        .formatted(Json.quote(TURN)));
    }

    private void post(String url, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create(url))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("%s was answered with %d: %s".formatted(url, response.statusCode(), response.body()));
        }
    }

    private static URI events(String url) {
        return URI.create(url + API + "/turns/" + TURN + "/events");
    }

    /**
     * What the store holds in the end.
     *
     * @param answers how often the message was written
     * @param text the text of the message
     * @param streams how many streams are left
     */
    record Found(long answers, String text, int streams) {}

    /** Looks into the store, opened anew after the servers are gone. */
    private Found found() {
        try (Holdfast holdfast = Holdfast.open(folder.resolve("data"))) {
            return new Found(
                    holdfast.sessions().get(SESSION).count() - 1, // one is the question
                    holdfast.sessions().get(SESSION).leaf().map(Act::textOf).orElse(""),
                    holdfast.streams().list(StreamListing.all()).size());
        }
    }

    /** Says what was promised and what came of it. */
    boolean judge(Watcher watcher, boolean killedInTheMiddle, Found found) {
        String recorded = script.recordedText();
        Verdict verdict = new Verdict(out);
        verdict.line("killed in the middle", killedInTheMiddle ? "yes" : "no", killedInTheMiddle);
        verdict.line("chunks received", watcher.total(), watcher.total() > Script.KILL_AFTER_CHUNKS);
        verdict.line("chunks lost", watcher.lost(), watcher.lost() == 0);
        verdict.line("chunks duplicated", watcher.duplicated(), watcher.duplicated() == 0);
        verdict.line("told to restart", watcher.restarts(), watcher.restarts() == script.promisedRestarts());
        verdict.line(
                "outcome", watcher.outcome().orElse("none"), watcher.outcome().equals(Optional.of("completed")));
        verdict.line(
                "text seen = text recorded",
                watcher.text().length() + " characters",
                watcher.text().equals(recorded));
        verdict.line(
                "message written", found.answers() + (found.answers() == 1 ? " time" : " times"), found.answers() == 1);
        verdict.line(
                "text stored = text recorded",
                found.text().length() + " characters",
                found.text().equals(recorded));
        verdict.line("streams left", found.streams(), found.streams() == 0);
        return verdict.right();
    }

    /** The text parts of a stored message. */
    private static String textOf(Message message) {
        StringBuilder text = new StringBuilder();
        for (JsonNode part : Json.parse(new String(message.content(), StandardCharsets.UTF_8))
                .path("parts")) {
            if ("text".equals(part.path("type").asString(""))) {
                text.append(part.path("text").asString(""));
            }
        }
        return text.toString();
    }
}
