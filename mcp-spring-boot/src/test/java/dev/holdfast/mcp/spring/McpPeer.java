package dev.holdfast.mcp.spring;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client that sees what is on the wire: it posts messages, reads events one by one, and may hang up between any two. */
final class McpPeer implements AutoCloseable {

    static final String VERSION = "2025-11-25";

    /**
     * An event.
     *
     * @param id its id, if it has one
     * @param data what it says; empty for the one that only gives an id
     */
    record Event(@Nullable String id, String data) {}

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI endpoint;
    private @Nullable String session;

    McpPeer(int port) {
        this.endpoint = URI.create("http://127.0.0.1:" + port + "/mcp");
    }

    /** A client that goes on with a session of another one. */
    McpPeer(int port, @Nullable String session) {
        this(port);
        this.session = session;
    }

    @Nullable
    String session() {
        return session;
    }

    /** Begins a session, and returns what the server says of itself. */
    String initialize() throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(post("""
                        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"peer","version":"1"}}}""".formatted(VERSION)), HttpResponse.BodyHandlers.ofString());
        session = response.headers().firstValue("Mcp-Session-Id").orElse(null);
        HttpResponse<String> unused = client.send(
                post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
                HttpResponse.BodyHandlers.ofString());
        return response.body();
    }

    /** Posts a message. */
    Reading call(String message) throws IOException, InterruptedException {
        return new Reading(client.send(post(message), HttpResponse.BodyHandlers.ofInputStream()));
    }

    /** Comes back to a stream. */
    Reading resume(String lastEventId) throws IOException, InterruptedException {
        HttpRequest request = request()
                .header("Accept", "text/event-stream")
                .header("Last-Event-ID", lastEventId)
                .GET()
                .build();
        return new Reading(client.send(request, HttpResponse.BodyHandlers.ofInputStream()));
    }

    private HttpRequest post(String message) {
        return request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(message))
                .build();
    }

    private HttpRequest.Builder request() {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint);
        if (session != null) {
            request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", VERSION);
        }
        return request;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /** An answer that is read as it comes; closing it before its end hangs up. */
    static final class Reading implements AutoCloseable {

        private final HttpResponse<InputStream> response;
        private final BufferedReader lines;

        private Reading(HttpResponse<InputStream> response) {
            this.response = response;
            this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        int status() {
            return response.statusCode();
        }

        /** The next event, or null at the end. */
        @Nullable
        Event next() throws IOException {
            String id = null;
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id:")) {
                    id = line.substring(3).strip();
                } else if (line.startsWith("data:")) {
                    data.append(line.substring(5).strip());
                } else if (line.isEmpty() && (id != null || !data.isEmpty())) {
                    return new Event(id, data.toString());
                }
            }
            return null;
        }

        /** The messages to the end, without events that only give an id. */
        List<Event> messages() throws IOException {
            List<Event> events = new ArrayList<>();
            for (Event event = next(); event != null; event = next()) {
                if (!event.data().isEmpty()) {
                    events.add(event);
                }
            }
            return events;
        }

        @Override
        public void close() throws IOException {
            response.body().close();
        }
    }
}
