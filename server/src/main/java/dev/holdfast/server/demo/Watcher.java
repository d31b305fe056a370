package dev.holdfast.server.demo;

import dev.holdfast.stream.Cursor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A client of the server: watches one turn, comes back with its last cursor after a loss, and counts what it got. It keeps a chunk per
 * sequence number and incarnation, as they came; the verdict is computed from these, not from what the server says of itself.
 */
final class Watcher {

    private final HttpClient client;
    private final PrintWriter out;

    /** Chunks since the last {@code restarted}, in the order they came. */
    private final List<Long> seqs = new ArrayList<>();

    private final StringBuilder text = new StringBuilder();
    /** How many chunks the server says that there are, once it named the end. */
    private long tail;

    private @Nullable String lastId;
    private @Nullable JsonNode end;
    private int restarts;
    private int total;

    Watcher(HttpClient client, PrintWriter out) {
        this.client = client;
        this.out = out;
    }

    /** How a connection ended. */
    enum Left {
        /** As many chunks came as were wanted. */
        ENOUGH,
        /** The turn ended. */
        ENDED,
        /** The connection broke. */
        LOST
    }

    /** Watches until the turn ends, the connection breaks, or so many chunks came in all. */
    Left watch(URI events, int enough) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(events).header("Accept", "text/event-stream");
        if (lastId != null) {
            request.header("Last-Event-ID", lastId);
        }
        HttpResponse<InputStream> response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new IOException("The server answered " + response.statusCode() + ": "
                    + new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
        }
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            String name = "";
            String id = null;
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    data.append(line, 6, line.length());
                } else if (line.isEmpty() && data.length() > 0) {
                    take(name, id, data.toString());
                    if (end != null) {
                        return Left.ENDED;
                    }
                    if (total >= enough) {
                        return Left.ENOUGH;
                    }
                    name = "";
                    id = null;
                    data.setLength(0);
                }
            }
            return Left.LOST;
        } catch (IOException e) {
            return Left.LOST;
        }
    }

    /** Takes one event as the server sent it. */
    void take(String event, @Nullable String id, String data) {
        if (id != null) {
            lastId = id;
        }
        switch (event) {
            case "" -> chunk(id, Json.parse(data));
            case "restarted" -> {
                restarts++;
                seqs.clear();
                tail = 0;
                text.setLength(0);
                out.println();
                out.println("  << restarted: the client drops what it had >>");
            }
            case "turn-ended" -> {
                end = Json.parse(data);
                tail = id == null ? 0 : Cursor.parse(id).seq();
            }
            default -> out.println("  << " + event + " >>");
        }
    }

    private void chunk(@Nullable String id, JsonNode chunk) {
        total++;
        seqs.add(id == null ? -1 : Cursor.parse(id).seq() - 1);
        if ("text-delta".equals(chunk.path("type").asString(""))) {
            String delta = chunk.path("delta").asString("");
            text.append(delta);
            out.print(delta.replace("\n", "\n  "));
            out.flush();
        }
    }

    int total() {
        return total;
    }

    int restarts() {
        return restarts;
    }

    String text() {
        return text.toString();
    }

    Optional<String> outcome() {
        return Optional.ofNullable(end).map(e -> e.path("outcome").asString(""));
    }

    /** Chunks missing before the end that the server named, or before the highest sequence number seen if that is more. */
    long lost() {
        long highest = seqs.stream().mapToLong(Long::longValue).max().orElse(-1);
        return Math.max(highest + 1, tail) - seqs.stream().distinct().count();
    }

    /** Chunks that came more than once, or out of order. */
    long duplicated() {
        long wrong = 0;
        for (int i = 1; i < seqs.size(); i++) {
            if (seqs.get(i) <= seqs.get(i - 1)) {
                wrong++;
            }
        }
        return wrong;
    }
}
