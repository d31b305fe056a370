package dev.holdfast.mcp.streamable;

import dev.holdfast.http.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client of one session that does exactly what a test says. */
final class Client implements AutoCloseable {

    static final String NEWEST = "2025-11-25";
    static final String WITHOUT_PRIMING = "2025-06-18";
    static final String WITH_BATCHES = "2025-03-26";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI url;
    private final @Nullable String key;
    private @Nullable String session;

    Client(String url) {
        this(url, null);
    }

    Client(String url, @Nullable String key) {
        this.url = URI.create(url);
        this.key = key;
    }

    /** A client with a new session. */
    static Client of(Site site) throws IOException, InterruptedException {
        return of(site, NEWEST);
    }

    static Client of(Site site, String revision) throws IOException, InterruptedException {
        Client client = new Client(site.url());
        client.initialize(revision);
        return client;
    }

    /** Another client that goes on with the session of this one, perhaps elsewhere. */
    Client moved(Site site) {
        Client client = new Client(site.url(), key);
        client.session = session;
        return client;
    }

    String session() {
        if (session == null) {
            throw new IllegalStateException("There is no session");
        }
        return session;
    }

    Client session(@Nullable String id) {
        session = id;
        return this;
    }

    JsonNode initialize(String revision) throws IOException, InterruptedException {
        try (Sse answer = post("""
                {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s",
                 "capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"test","version":"1"}}}""".formatted(revision))) {
            session = answer.response().headers().firstValue("Mcp-Session-Id").orElseThrow();
            JsonNode result = answer.json();
            post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                    .close();
            return result;
        }
    }

    HttpRequest.Builder request() {
        HttpRequest.Builder request = HttpRequest.newBuilder(url);
        if (session != null) {
            request.header("Mcp-Session-Id", session);
        }
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        return request;
    }

    HttpRequest.Builder posting(String json) {
        return request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(json));
    }

    Sse send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        return new Sse(response);
    }

    Sse post(String json) throws IOException, InterruptedException {
        return send(posting(json));
    }

    /** Calls a tool; arguments are JSON. */
    Sse call(int id, String tool, String arguments) throws IOException, InterruptedException {
        return post(callJson(id, tool, arguments));
    }

    static String callJson(int id, String tool, String arguments) {
        return "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}"
                .formatted(id, tool, arguments);
    }

    /** Starts the scripted tool of this name. */
    Sse script(int id, String name) throws IOException, InterruptedException {
        return call(id, "script", "{\"name\":\"%s\"}".formatted(name));
    }

    HttpRequest.Builder getting(@Nullable String lastEventId) {
        HttpRequest.Builder request = request().header("Accept", "text/event-stream");
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        return request;
    }

    Sse get(@Nullable String lastEventId) throws IOException, InterruptedException {
        return send(getting(lastEventId));
    }

    int delete() throws IOException, InterruptedException {
        try (Sse answer = send(request().DELETE())) {
            return answer.status();
        }
    }

    /** The text that a tool answered. */
    static String answer(Sse.Event event) {
        return event.json().path("result").path("content").path(0).path("text").asString("");
    }

    static String reason(JsonNode body) {
        return body.path("error").path("data").path("reason").asString("");
    }

    static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
