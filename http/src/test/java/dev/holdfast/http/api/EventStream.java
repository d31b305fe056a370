package dev.holdfast.http.api;

import dev.holdfast.http.RunningServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events as a browser does, for tests. */
final class EventStream implements AutoCloseable {

    /** One event; without a name it is a {@code message}. */
    record Event(String name, @Nullable String id, String data) {}

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    private EventStream(HttpResponse<InputStream> response) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    static EventStream open(RunningServer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new EventStream(server.client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
    }

    static EventStream at(RunningServer server, String path, @Nullable String cursor)
            throws IOException, InterruptedException {
        return cursor == null ? open(server, path) : open(server, path, "Last-Event-ID", cursor);
    }

    HttpResponse<InputStream> response() {
        return response;
    }

    /** The next line as it came. */
    String nextLine() throws IOException {
        return lines.readLine();
    }

    /** The next event, or empty at a clean end. An abortive end is an {@link IOException}. */
    Optional<Event> next() throws IOException {
        String name = "message";
        String id = null;
        List<String> data = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    return Optional.of(new Event(name, id, String.join("\n", data)));
                }
                name = "message";
                id = null;
            } else if (line.startsWith("event: ")) {
                name = line.substring(7);
            } else if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("data: ")) {
                data.add(line.substring(6));
            }
        }
        return Optional.empty();
    }

    List<Event> take(int count) throws IOException {
        List<Event> events = new ArrayList<>();
        while (events.size() < count) {
            events.add(next().orElseThrow());
        }
        return events;
    }

    /** Everything up to the clean end. */
    List<Event> rest() throws IOException {
        List<Event> events = new ArrayList<>();
        for (Optional<Event> event = next(); event.isPresent(); event = next()) {
            events.add(event.get());
        }
        return events;
    }

    @Override
    public void close() throws IOException {
        response.body().close();
    }
}
