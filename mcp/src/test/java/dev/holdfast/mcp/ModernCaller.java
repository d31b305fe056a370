package dev.holdfast.mcp;

import dev.holdfast.http.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client that writes each byte of the revision 2026-07-28 by itself. */
public final class ModernCaller {

    public static final String TASKS = "io.modelcontextprotocol/tasks";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static final AtomicLong IDS = new AtomicLong();

    private final URI uri;
    private Map<String, Object> capabilities = Map.of("elicitation", Map.of(), "extensions", Map.of(TASKS, Map.of()));
    private final Map<String, String> headers = new LinkedHashMap<>();

    public ModernCaller(URI uri) {
        this.uri = uri;
    }

    /** One that declares no extension. */
    public ModernCaller undeclared() {
        capabilities = Map.of("elicitation", Map.of());
        return this;
    }

    public ModernCaller key(String key) {
        headers.put("Authorization", "Bearer " + key);
        return this;
    }

    /** Replaces a header field, or takes it away if the value is null. */
    public ModernCaller header(String name, @Nullable String value) {
        headers.put(name, value == null ? "" : value);
        return this;
    }

    /** An answer: its status and its messages, the response last. */
    public record Answer(int status, @Nullable String contentType, List<JsonNode> messages) {
        public JsonNode response() {
            return messages.getLast();
        }

        public JsonNode result() {
            if (!response().has("result")) {
                throw new AssertionError("No result: " + response());
            }
            return response().path("result");
        }

        public JsonNode error() {
            if (!response().has("error")) {
                throw new AssertionError("No error: " + response());
            }
            return response().path("error");
        }

        public int code() {
            return error().path("code").intValue();
        }
    }

    public HttpRequest request(String method, Map<String, ?> params) {
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put("io.modelcontextprotocol/protocolVersion", "2026-07-28");
        meta.put("io.modelcontextprotocol/clientCapabilities", capabilities);
        meta.put("progressToken", "p" + IDS.incrementAndGet());
        if (params.get("_meta") instanceof Map<?, ?> more) {
            more.forEach((key, value) -> meta.put(String.valueOf(key), value));
        }
        Map<String, Object> all = new LinkedHashMap<>(params);
        all.put("_meta", meta);
        byte[] body = Json.MAPPER.writeValueAsBytes(
                Map.of("jsonrpc", "2.0", "id", IDS.incrementAndGet(), "method", method, "params", all));
        Map<String, String> sent = new LinkedHashMap<>();
        sent.put("Content-Type", "application/json");
        sent.put("Accept", "application/json, text/event-stream");
        sent.put("Mcp-Method", method);
        sent.put("MCP-Protocol-Version", "2026-07-28");
        Object name =
                params.get(method.startsWith("tasks/") ? "taskId" : method.equals("resources/read") ? "uri" : "name");
        if (name instanceof String text) {
            sent.put("Mcp-Name", text);
        }
        sent.putAll(headers);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        sent.forEach((field, value) -> {
            if (!value.isEmpty()) {
                request.header(field, value);
            }
        });
        return request.build();
    }

    public Answer ask(String method, Map<String, ?> params) {
        try {
            HttpResponse<String> response =
                    HTTP.send(request(method, params), BodyHandlers.ofString(StandardCharsets.UTF_8));
            String type = response.headers().firstValue("Content-Type").orElse(null);
            return new Answer(response.statusCode(), type, messages(type, response.body()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<JsonNode> messages(@Nullable String type, String body) {
        List<JsonNode> messages = new ArrayList<>();
        if (type != null && type.startsWith("text/event-stream")) {
            body.lines()
                    .filter(line -> line.startsWith("data: "))
                    .forEach(line -> messages.add(Json.MAPPER.readTree(line.substring(6))));
        } else {
            messages.add(Json.MAPPER.readTree(body));
        }
        return messages;
    }

    public Answer tool(String name, Map<String, ?> arguments) {
        return ask("tools/call", Map.of("name", name, "arguments", arguments));
    }

    /** Calls a tool that becomes a task; returns its id. */
    public String task(String name, Map<String, ?> arguments) {
        JsonNode result = tool(name, arguments).result();
        if (!result.path("resultType").asString("").equals("task")) {
            throw new AssertionError("No task: " + result);
        }
        return result.path("taskId").stringValue();
    }

    public JsonNode get(String task) {
        return ask("tasks/get", Map.of("taskId", task)).result();
    }

    public String status(String task) {
        return get(task).path("status").stringValue();
    }

    public Answer update(String task, Map<String, ?> responses) {
        return ask("tasks/update", Map.of("taskId", task, "inputResponses", responses));
    }

    public Answer cancel(String task) {
        return ask("tasks/cancel", Map.of("taskId", task));
    }

    /** An open stream of messages. Close it to cut the connection. */
    public Stream open(String method, Map<String, ?> params) {
        try {
            HttpResponse<InputStream> response = HTTP.send(request(method, params), BodyHandlers.ofInputStream());
            return new Stream(response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Messages as they come. One thread at a time. */
    public static final class Stream implements AutoCloseable {
        public final HttpResponse<InputStream> response;
        private final java.io.BufferedReader lines;

        private Stream(HttpResponse<InputStream> response) {
            this.response = response;
            this.lines =
                    new java.io.BufferedReader(new java.io.InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** The next message; null at the end. Comments are left out. */
        public @Nullable JsonNode next() {
            String line;
            while ((line = line()) != null) {
                if (line.startsWith("data: ")) {
                    return Json.MAPPER.readTree(line.substring(6));
                }
            }
            return null;
        }

        /** The next line; null at the end. */
        public @Nullable String line() {
            try {
                return lines.readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
