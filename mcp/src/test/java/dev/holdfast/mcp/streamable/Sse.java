package dev.holdfast.mcp.streamable;

import dev.holdfast.http.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads one response of server-sent events as a client does. One thread at a time. */
final class Sse implements AutoCloseable {

    /** An event with data, or an empty one that only carries an id. */
    record Event(@Nullable String id, @Nullable String retry, String data) {

        JsonNode json() {
            return Json.MAPPER.readTree(data);
        }

        /** What a log message says. */
        String text() {
            return json().path("params").path("data").asString("");
        }

        boolean isPriming() {
            return data.isEmpty();
        }

        boolean isAnswer() {
            return !isPriming() && !json().has("method");
        }
    }

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;
    private int comments;
    private @Nullable String lastId;
    private @Nullable String lastRetry;

    Sse(HttpResponse<InputStream> response) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    int status() {
        return response.statusCode();
    }

    HttpResponse<InputStream> response() {
        return response;
    }

    /** The whole body of an answer that is no stream. */
    String body() throws IOException {
        return new String(response.body().readAllBytes(), StandardCharsets.UTF_8);
    }

    JsonNode json() throws IOException {
        return Json.MAPPER.readTree(body());
    }

    /** The next event, priming ones too; empty at a clean end. */
    Optional<Event> next() throws IOException {
        String id = null;
        String retry = null;
        StringBuilder data = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (data != null) {
                    lastId = id == null ? lastId : id;
                    return Optional.of(new Event(id, retry, data.toString()));
                }
                id = null;
                retry = null;
            } else if (line.startsWith(":")) {
                comments++;
            } else if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("retry: ")) {
                retry = line.substring(7);
                lastRetry = retry;
            } else if (line.startsWith("data: ")) {
                data = (data == null ? new StringBuilder() : data.append('\n')).append(line.substring(6));
            }
        }
        return Optional.empty();
    }

    /** The next event with data. */
    Event message() throws IOException {
        Event event = next().orElseThrow(() -> new IOException("The stream ended"));
        while (event.isPriming()) {
            event = next().orElseThrow(() -> new IOException("The stream ended"));
        }
        return event;
    }

    List<Event> messages(int count) throws IOException {
        List<Event> events = new ArrayList<>();
        while (events.size() < count) {
            events.add(message());
        }
        return events;
    }

    /** All that has data until the clean end. */
    List<Event> rest() throws IOException {
        List<Event> events = new ArrayList<>();
        for (Optional<Event> event = next(); event.isPresent(); event = next()) {
            if (!event.get().isPriming()) {
                events.add(event.get());
            }
        }
        return events;
    }

    /** Reads until this many comments came. */
    void awaitComments(int count) throws IOException {
        while (comments < count) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("The stream ended");
            }
            if (line.startsWith(":")) {
                comments++;
            }
        }
    }

    int comments() {
        return comments;
    }

    /** The last id that came. */
    String lastId() {
        if (lastId == null) {
            throw new IllegalStateException("There was no event yet");
        }
        return lastId;
    }

    @Nullable
    String lastRetry() {
        return lastRetry;
    }

    /** Cuts the connection. */
    @Override
    public void close() throws IOException {
        response.body().close();
    }
}
