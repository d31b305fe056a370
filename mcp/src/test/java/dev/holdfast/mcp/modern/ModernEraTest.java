package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpPrincipal;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The transport of 2026-07-28 on a real socket. */
class ModernEraTest extends EraTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private HttpResponse<String> post(String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2026-07-28");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.POST(HttpRequest.BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    @Test
    void what_is_soon_answered_is_json() {
        Answer answer = caller().tool("greet", Map.of("name", "you"));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("application/json");
        assertThat(text(answer.result())).isEqualTo("Hello, you!");
        assertThat(answer.result()
                        .path("_meta")
                        .path("io.modelcontextprotocol/serverInfo")
                        .path("name")
                        .stringValue())
                .isEqualTo("test");
    }

    @Test
    void the_sdks_own_client_is_served() {
        var client = McpClient.sync(HttpClientMcpTransport.builder(server.uri()).build())
                .build();
        assertThat(client.discover().supportedVersions()).containsExactly("2026-07-28");
        assertThat(client.listTools().list().tools()).hasSameSizeAs(tools.names());
        List<Double> progress = new ArrayList<>();
        tools.open("a");
        var result = client.tool("teller")
                .arguments(Map.of("label", "a", "events", 3))
                .progress(told -> progress.add(told.progress()))
                .call();
        assertThat(result.content()).hasSize(1);
        assertThat(progress).containsExactly(1.0, 2.0, 3.0, 4.0);
    }

    @Test
    void errors_have_the_statuses_of_the_transport() {
        assertThat(caller().ask("no/such", Map.of()).status()).isEqualTo(404);
        assertThat(caller().ask("no/such", Map.of()).code()).isEqualTo(-32601);
        assertThat(caller().tool("nothing", Map.of()).status()).isEqualTo(400);
        assertThat(caller().tool("nothing", Map.of()).code()).isEqualTo(-32602);
        assertThat(caller().tool("throwing", Map.of()).status()).isEqualTo(200);
        assertThat(caller().tool("throwing", Map.of()).code()).isEqualTo(-32603);
    }

    @Test
    void headers_must_say_what_the_body_says() {
        Map<String, Object> call = Map.of("name", "greet", "arguments", Map.of("name", "you"));
        for (String header : List.of("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version")) {
            for (String value : new String[] {"other", null}) {
                Answer answer = caller().header(header, value).ask("tools/call", call);
                assertThat(answer.status()).as(header + " " + value).isEqualTo(400);
                assertThat(answer.code()).as(header + " " + value).isEqualTo(-32020);
                assertThat(answer.error().path("message").stringValue()).contains(header);
                assertThat(answer.response().path("id").isNumber()).isTrue();
            }
        }
        assertThat(caller().header("Mcp-Method", "TOOLS/CALL")
                        .ask("tools/call", call)
                        .code())
                .isEqualTo(-32020);
        assertThat(caller().header("Mcp-Name", "=?base64?Z3JlZXQ=?=")
                        .ask("tools/call", call)
                        .status())
                .isEqualTo(200);
        assertThat(caller().header("Mcp-Name", "=?base64?!?=")
                        .ask("tools/call", call)
                        .code())
                .isEqualTo(-32020);
        assertThat(caller().header("Mcp-Name", "other")
                        .ask("tasks/get", Map.of("taskId", "t"))
                        .code())
                .isEqualTo(-32020);
        assertThat(caller().ask("tasks/get", Map.of("taskId", "t")).code()).isEqualTo(-32601);
    }

    @Test
    void a_header_that_is_there_twice_is_a_mismatch() throws Exception {
        String body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
        HttpResponse<String> twice = post(body, "Mcp-Method", "server/discover", "Mcp-Method", "server/discover");
        assertThat(twice.statusCode()).isEqualTo(400);
        assertThat(twice.body()).contains("-32020", "2 times");
        assertThat(post(body, "Mcp-Method", "server/discover").statusCode()).isEqualTo(200);
    }

    @Test
    void what_is_no_request_of_this_revision_is_refused_with_a_reason() throws Exception {
        for (String body : List.of(
                "[]",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/list\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/list\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
                "\"text\"")) {
            HttpResponse<String> refused = post(body);
            assertThat(refused.statusCode()).as(body).isEqualTo(400);
            assertThat(Json.MAPPER
                            .readTree(refused.body())
                            .path("error")
                            .path("code")
                            .intValue())
                    .as(body)
                    .isEqualTo(-32600);
        }
        HttpResponse<String> broken = post("{\"jsonrpc\":");
        assertThat(broken.statusCode()).isEqualTo(400);
        assertThat(broken.body()).contains("-32700");
    }

    @Test
    void each_refusal_has_a_reason_that_programs_compare() throws Exception {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}";
        HttpRequest.Builder plain = HttpRequest.newBuilder(server.uri())
                .header("MCP-Protocol-Version", "2026-07-28")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        assertReason(HTTP.send(plain.copy().build(), BodyHandlers.ofString()), 415, "unsupported-media-type");
        HttpRequest narrow = plain.copy()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .build();
        assertReason(HTTP.send(narrow, BodyHandlers.ofString()), 406, "not-acceptable");
        assertReason(post("{"), 400, "parse-error");
        assertReason(post("7"), 400, "invalid-request");
        assertReason(post("[" + body + "]"), 400, "invalid-request");
        assertReason(post(body.replace("2.0", "1.0")), 400, "invalid-request");
        assertReason(post(body.replace("1,", "{},")), 400, "invalid-request");
        assertReason(post(body.replace("method", "way")), 400, "invalid-request");
        assertReason(post(body), 400, "header-mismatch");
    }

    private static void assertReason(HttpResponse<String> refused, int status, String reason) {
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
        JsonNode error = Json.MAPPER.readTree(refused.body()).path("error");
        assertThat(error.path("data").path("reason").asString("none"))
                .as(refused.body())
                .isEqualTo(reason);
    }

    @Test
    void a_notification_is_accepted() throws Exception {
        HttpResponse<String> accepted = post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
        assertThat(accepted.statusCode()).isEqualTo(202);
        assertThat(accepted.body()).isEmpty();
    }

    @Test
    void only_post_is_possible() throws Exception {
        for (String method : List.of("GET", "DELETE")) {
            HttpResponse<String> refused = HTTP.send(
                    HttpRequest.newBuilder(server.uri())
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .header("MCP-Protocol-Version", "2026-07-28")
                            .build(),
                    BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(405);
            assertThat(refused.headers().firstValue("Allow")).hasValue("POST");
        }
    }

    @Test
    void tools_find_out_who_asks_and_what_the_application_added() {
        tools.plain(
                "context",
                (ctx, request) -> TestTools.text(
                        McpPrincipal.of(ctx.transportContext()).orElseThrow().name() + " at "
                                + ctx.transportContext().get("path")));
        assertThat(text(caller().tool("context", Map.of()).result())).isEqualTo("anonymous at /mcp");
    }

    @Test
    void arguments_have_the_types_that_the_sdk_gives_them() {
        tools.plain(
                "types",
                (ctx, request) -> TestTools.text(request.arguments().values().stream()
                        .map(value -> value == null ? "null" : value.getClass().getSimpleName())
                        .toList()
                        .toString()));
        Map<String, Object> arguments = new java.util.LinkedHashMap<>();
        arguments.put("int", 1);
        arguments.put("long", 1L << 40);
        arguments.put("big", new java.math.BigInteger("9".repeat(30)));
        arguments.put("double", 1.5);
        arguments.put("string", "s");
        arguments.put("boolean", true);
        arguments.put("list", List.of(1));
        arguments.put("map", Map.of("a", 1));
        arguments.put("none", null);
        assertThat(text(caller().tool("types", arguments).result()))
                .isEqualTo("[Integer, Long, BigInteger, Double, String, Boolean, ArrayList, LinkedHashMap, null]");
    }

    @Test
    void settings_out_of_bounds_are_refused() {
        assertThatThrownBy(() -> ModernServer.plain(tools, era -> era.keepAlive(Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ModernServer.plain(tools, era -> era.maxUnsentBytes(0)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
