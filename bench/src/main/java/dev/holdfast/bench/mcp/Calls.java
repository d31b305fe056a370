package dev.holdfast.bench.mcp;

import dev.holdfast.bench.http.wire.Requests;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Calls of a tool, as bytes to send again and again. */
final class Calls {

    static final String PATH = "/mcp";

    /** The SDK has a servlet for each era, and each wants a path. */
    static final String STOCK_MODERN_PATH = "/modern";

    private static final String SESSION_VERSION = "2025-06-18";
    private static final String MODERN_VERSION = "2026-07-28";
    private static final String JSON = "application/json";
    private static final String ACCEPT = "application/json, text/event-stream";

    private Calls() {}

    /** One call for each of several sessions, which are begun for it. */
    static List<byte[]> inSessions(URI server, int sessions, String tool) throws IOException, InterruptedException {
        List<byte[]> calls = new ArrayList<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < sessions; i++) {
                Map<String, String> headers = new TreeMap<>(Map.of(
                        "Accept",
                        ACCEPT,
                        "Mcp-Session-Id",
                        begin(client, server),
                        "MCP-Protocol-Version",
                        SESSION_VERSION));
                calls.add(Requests.post(
                        PATH, JSON, headers, """
                        {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{},"_meta":{"progressToken":%d}}}""".formatted(i, tool, i).getBytes(StandardCharsets.UTF_8)));
            }
        }
        return calls;
    }

    private static String begin(HttpClient client, URI server) throws IOException, InterruptedException {
        String session = post(client, server, "", """
                {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}""".formatted(SESSION_VERSION))
                .headers()
                .firstValue("Mcp-Session-Id")
                .orElseThrow(() -> new IOException("the server began no session"));
        HttpResponse<String> unused =
                post(client, server, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return session;
    }

    private static HttpResponse<String> post(HttpClient client, URI server, String session, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(PATH))
                .header("Content-Type", JSON)
                .header("Accept", ACCEPT)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!session.isEmpty()) {
            request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", SESSION_VERSION);
        }
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("the server answered %d: %s".formatted(response.statusCode(), response.body()));
        }
        return response;
    }

    /** A call of 2026-07-28. */
    static List<byte[]> modern(String path, String tool) {
        Map<String, String> headers = new TreeMap<>(Map.of(
                "Accept",
                ACCEPT,
                "MCP-Protocol-Version",
                MODERN_VERSION,
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                tool));
        return List.of(Requests.post(
                path, JSON, headers, """
                {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{}}}}""".formatted(tool, MODERN_VERSION).getBytes(StandardCharsets.UTF_8)));
    }
}
