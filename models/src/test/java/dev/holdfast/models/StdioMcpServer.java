package dev.holdfast.models;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** A small MCP server with the tool {@code weather}, which speaks JSON-RPC over its standard input and output, as a process of its own. */
final class StdioMcpServer {

    private StdioMcpServer() {}

    @SuppressWarnings("SystemOut") // the transport
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode request = ModelJson.event(line.getBytes(StandardCharsets.UTF_8));
            if (request.has("id")) {
                ObjectNode answer = ModelJson.object().put("jsonrpc", "2.0");
                answer.set("id", request.get("id"));
                answer.set("result", ModelJson.read(result(request)).orElseThrow());
                System.out.println(answer);
            }
        }
    }

    private static String result(ObjectNode request) {
        String city = request.at("/params/arguments/city").asString("");
        return switch (request.get("method").asString()) {
            case "initialize" -> """
                    {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "weather", "version": "1"}}
                    """;
            case "tools/list" -> """
                    {"tools": [{"name": "weather", "description": "The weather of a city.", "inputSchema":
                     {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]}
                    """;
            case "tools/call" -> city.equals("Rome") ? """
                    {"content": [{"type": "text", "text": "no such city"}], "isError": true}
                    """ : """
                    {"content": [{"type": "text", "text": "warm in %s"}]}
                    """.formatted(city);
            default -> "{}";
        };
    }
}
