package dev.holdfast.verification.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.cluster.Events.Event;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A reader that follows a Durable Stream until it is closed, at whatever server there is, from where it was. */
final class StreamTail {

    private static final JsonMapper JSON = new JsonMapper();

    private final Client client;
    private final String stream;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final List<String> batch = new ArrayList<>();
    private String offset = "-1";
    private boolean closed;

    StreamTail(Client client, String stream) {
        this.client = client;
        this.stream = stream;
    }

    /** What came so far. */
    List<String> messages() {
        return List.copyOf(messages);
    }

    int count() {
        return messages.size();
    }

    void followToTheEnd() throws InterruptedException {
        while (!closed) {
            follow(client.any());
        }
    }

    /** Follows at one server until the stream is closed or the connection is lost. */
    void follow(int server) throws InterruptedException {
        batch.clear();
        try {
            HttpResponse<InputStream> answer =
                    client.watch(server, StreamWriter.path(stream) + "?live=sse&offset=" + offset);
            try (Events events = new Events(answer.body())) {
                if (answer.statusCode() == 200) {
                    read(events);
                    return;
                }
            }
            assertThat(answer.statusCode())
                    .as("tail of %s from %s", stream, offset)
                    .isEqualTo(503);
        } catch (IOException e) {
            // cut, or unreachable
        }
        client.pause();
    }

    private void read(Events events) throws IOException {
        for (Event event = events.next(); event != null && !closed; event = events.next()) {
            JsonNode data = JSON.readTree(event.data());
            if (event.name().equals("data")) {
                data.forEach(message -> batch.add(message.asString()));
            } else if (event.name().equals("control")) { // only now does it have a position behind the batch
                messages.addAll(batch);
                batch.clear();
                offset = data.path("streamNextOffset").asString();
                closed = data.path("streamClosed").asBoolean(false);
            }
        }
    }
}
