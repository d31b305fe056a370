package dev.holdfast.http;

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
public final class EventStream implements AutoCloseable {

    /** One event; without a name it is a {@code message}. */
    public record Event(String name, @Nullable String id, String data) {}

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    private EventStream(HttpResponse<InputStream> response) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    public static EventStream open(RunningServer server, String path, String... headers)
            throws IOException, InterruptedException {
        return open(server.peer(), path, headers);
    }

    public static EventStream open(HttpPeer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new EventStream(server.client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
    }

    /** Of a response that was asked for otherwise. */
    public static EventStream of(HttpResponse<InputStream> response) {
        return new EventStream(response);
    }

    public static EventStream at(RunningServer server, String path, @Nullable String cursor)
            throws IOException, InterruptedException {
        return cursor == null ? open(server, path) : open(server, path, "Last-Event-ID", cursor);
    }

    public HttpResponse<InputStream> response() {
        return response;
    }

    /** The next line as it came. */
    public String nextLine() throws IOException {
        return lines.readLine();
    }

    /** The next event, or empty at a clean end. An abortive end is an {@link IOException}. */
    public Optional<Event> next() throws IOException {
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
            } else if (line.startsWith("event:")) {
                name = value(line);
            } else if (line.startsWith("id:")) {
                id = value(line);
            } else if (line.startsWith("data:")) {
                data.add(value(line));
            }
        }
        return Optional.empty();
    }

    /** What follows the colon, without one space. */
    private static String value(String line) {
        String value = line.substring(line.indexOf(':') + 1);
        return value.startsWith(" ") ? value.substring(1) : value;
    }

    public List<Event> take(int count) throws IOException {
        List<Event> events = new ArrayList<>();
        while (events.size() < count) {
            events.add(next().orElseThrow());
        }
        return events;
    }

    /** Everything up to the clean end. */
    public List<Event> rest() throws IOException {
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
