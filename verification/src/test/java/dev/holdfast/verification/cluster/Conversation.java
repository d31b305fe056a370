package dev.holdfast.verification.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.cluster.Events.Event;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of one session: it starts turns one after the other and watches each to its end, at whatever server there is. Every third is stopped. */
final class Conversation {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int STOPPED_ONE_IN = 3;
    private static final int DELTAS_BEFORE_STOP = 10;
    private static final Set<Integer> STARTED = Set.of(200, 201);

    private final Client client;
    private final String session;
    private final int numbers;
    private final AtomicLong chunks = new AtomicLong();
    private final AtomicLong deltas = new AtomicLong();
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    /** What the watcher of a turn has in the end. */
    record Seen(String outcome, String text) {}

    /**
     * @param numbers how far each turn counts
     */
    Conversation(Client client, String session, int numbers) {
        this.client = client;
        this.session = session;
        this.numbers = numbers;
    }

    String session() {
        return session;
    }

    int numbers() {
        return numbers;
    }

    /** The chunks that came so far. */
    long chunks() {
        return chunks.get();
    }

    /** The pieces of text that came so far. */
    long deltas() {
        return deltas.get();
    }

    /** The turns that ended. */
    Map<String, Seen> seen() {
        return Map.copyOf(seen);
    }

    private String path() {
        return "/api/v1/sessions/" + session;
    }

    void create() throws InterruptedException {
        HttpResponse<String> made = client.insist(
                "POST", "/api/v1/sessions", "{\"id\":\"%s\"}".formatted(session), "Content-Type", "application/json");
        assertThat(made.statusCode()).as(made.body()).isIn(STARTED);
    }

    /** Starts a turn, which may have been started before. */
    void begin(String turn) throws InterruptedException {
        HttpResponse<String> started = client.insist(
                "POST",
                path() + "/turns",
                "{\"id\":\"%s\",\"message\":{\"id\":\"m-%s\",\"text\":\"count %d\"}}".formatted(turn, turn, numbers),
                "Content-Type",
                "application/json");
        assertThat(started.statusCode()).as(started.body()).isIn(STARTED);
    }

    /** A whole turn. */
    void converse(int number) throws InterruptedException {
        String turn = "turn-" + number;
        begin(turn);
        follow(turn, number % STOPPED_ONE_IN == STOPPED_ONE_IN - 1);
    }

    /** Watches a turn to its end. */
    void follow(String turn, boolean stops) throws InterruptedException {
        Watch watch = new Watch(turn, stops);
        while (!watch.ended) {
            try (InputStream body = watch.open()) {
                watch.read(new Events(body));
            } catch (IOException e) {
                client.pause(); // cut, or unreachable: it goes on at its cursor
            }
        }
        seen.put(turn, new Seen(watch.outcome, watch.text.toString()));
    }

    /** Where a client stands in a turn. */
    private final class Watch {
        private final String turn;
        private final StringBuilder text = new StringBuilder();
        private boolean stops;
        private int said;
        private String cursor = "";
        private String outcome = "";
        private boolean ended;

        Watch(String turn, boolean stops) {
            this.turn = turn;
            this.stops = stops;
        }

        InputStream open() throws IOException, InterruptedException {
            String events = path() + "/turns/" + turn + "/events";
            HttpResponse<InputStream> answer = cursor.isEmpty()
                    ? client.watch(client.any(), events)
                    : client.watch(client.any(), events, "Last-Event-ID", cursor);
            if (answer.statusCode() == 200) {
                return answer.body();
            }
            try (InputStream body = answer.body()) {
                assertThat(answer.statusCode())
                        .as(() -> "%s at %s: %s".formatted(events, cursor, problem(body)))
                        .isEqualTo(503);
            }
            throw new IOException("503");
        }

        void read(Events events) throws IOException, InterruptedException {
            while (!ended) {
                Event event = events.next();
                assertThat(event)
                        .as("a turn's events never end cleanly before their last one: %s of %s", turn, session)
                        .isNotNull();
                if (event != null) {
                    take(event);
                }
            }
        }

        private void take(Event event) throws InterruptedException {
            cursor = event.id().isEmpty() ? cursor : event.id();
            switch (event.name()) {
                case "" -> takeChunk(JSON.readTree(event.data()));
                case "restarted" -> text.setLength(0);
                case "snapshot", "finished" ->
                    replace(JSON.readTree(event.data()).path("message"));
                case "turn-ended" -> {
                    outcome = JSON.readTree(event.data()).path("outcome").asString("");
                    ended = true;
                }
                default -> assertThat(event.name()).isIn("turn-queued", "reconnect");
            }
        }

        private void takeChunk(JsonNode chunk) throws InterruptedException {
            chunks.incrementAndGet();
            if (chunk.path("type").asString("").equals("text-delta")) {
                text.append(chunk.path("delta").asString(""));
                said++;
                deltas.incrementAndGet();
                if (stops && said >= DELTAS_BEFORE_STOP) {
                    stops = false;
                    stop(turn);
                }
            }
        }

        private void replace(JsonNode message) {
            text.setLength(0);
            text.append(textOf(message.has("content") ? message.path("content") : message));
        }
    }

    void stop(String turn) throws InterruptedException {
        HttpResponse<String> stopped = client.insist("POST", path() + "/turns/" + turn + "/stop", "");
        assertThat(stopped.statusCode()).as(stopped.body()).isEqualTo(200);
    }

    private static String problem(InputStream body) {
        try {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The text of a message as the AI SDK writes it. */
    static String textOf(@Nullable JsonNode message) {
        StringBuilder text = new StringBuilder();
        if (message != null) {
            message.path("parts").forEach(part -> text.append(part.path("text").asString("")));
        }
        return text.toString();
    }
}
