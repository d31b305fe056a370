package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpPrincipal;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The transport of 2026-07-28 on a real socket. */
class ModernEraTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final TestTools tools = new TestTools();
    private final ModernServer server = ModernServer.plain(
            tools,
            era -> era.keepAlive(Duration.ofMillis(50))
                    .maxUnsentBytes(64 << 10)
                    .context(call -> Map.of("path", call.exchange().head().rawPath())));

    @AfterEach
    void stop() {
        server.close();
    }

    private ModernCaller caller() {
        return new ModernCaller(server.uri());
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

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

    private static String text(JsonNode result) {
        return result.path("content").path(0).path("text").asString("");
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
    void a_tool_that_tells_of_its_progress_streams_events_that_no_proxy_holds_back() {
        tools.open("a");
        Answer answer = caller().tool("teller", Map.of("label", "a", "events", 2));
        assertThat(answer.contentType()).startsWith("text/event-stream");
        assertThat(answer.messages().stream()
                        .map(message -> message.path("method").asString("result")))
                .containsExactly(
                        "notifications/progress",
                        "notifications/progress",
                        "notifications/message",
                        "notifications/progress",
                        "result");
        try (ModernCaller.Stream stream =
                caller().open("tools/call", Map.of("name", "teller", "arguments", Map.of("label", "a", "events", 0)))) {
            assertThat(stream.response.headers().firstValue("X-Accel-Buffering"))
                    .hasValue("no");
            assertThat(stream.response.headers().firstValue("Cache-Control")).hasValue("no-store, no-transform");
            assertThat(stream.line()).isEqualTo("event: message");
        }
    }

    @Test
    void what_takes_long_becomes_a_stream_with_signs_of_life_and_one_answer() {
        try (ModernCaller.Stream stream =
                caller().open("tools/call", Map.of("name", "gate", "arguments", Map.of("label", "a")))) {
            assertThat(stream.response.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/event-stream");
            for (int i = 0; i < 3; i++) {
                assertThat(stream.line()).isEqualTo(":");
                assertThat(stream.line()).isEmpty();
            }
            tools.open("a");
            assertThat(text(Objects.requireNonNull(stream.next()).path("result")))
                    .isEqualTo("through a");
            assertThat(stream.next()).isNull();
        }
    }

    @Test
    void a_request_whose_connection_is_cut_is_cancelled_whether_it_streams_or_not() {
        for (String tool : List.of("gate", "teller")) {
            Map<String, Object> call = Map.of("name", tool, "arguments", Map.of("label", tool, "events", 1));
            try (ModernCaller.Stream stream = caller().open("tools/call", call)) {
                assertThat(stream.line()).isNotNull();
                until(() -> tools.counted("came " + tool) == 1);
            }
            until(() -> tools.counted("interrupted " + tool) == 1);
        }
    }

    @Test
    void a_subscription_is_acknowledged_hears_of_changes_and_is_let_go_when_it_is_cut() {
        try (ModernCaller.Stream stream = listen()) {
            JsonNode acknowledged = Objects.requireNonNull(stream.next());
            assertThat(acknowledged.path("method").stringValue()).isEqualTo("notifications/subscriptions/acknowledged");
            until(() -> server.listeners.get() == 1);
            server.feed.broadcast(new ServerChange.ToolsListChanged());
            JsonNode change = Objects.requireNonNull(stream.next());
            assertThat(change.path("method").stringValue()).isEqualTo("notifications/tools/list_changed");
            assertThat(change.path("params").path("_meta"))
                    .isEqualTo(acknowledged.path("params").path("_meta"));
            String line = stream.line();
            while (!":".equals(line)) { // a sign of life on a silent subscription
                line = stream.line();
            }
        }
        until(() -> server.listeners.get() == 0);
    }

    private ModernCaller.Stream listen() {
        return caller().open("subscriptions/listen", Map.of("notifications", Map.of("toolsListChanged", true)));
    }

    @Test
    void a_subscription_holds_no_thread() {
        List<ModernCaller.Stream> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ModernCaller.Stream stream = listen();
            assertThat(stream.next()).isNotNull();
            open.add(stream);
        }
        until(() -> server.listeners.get() == 20);
        until(() -> virtualThreads("holdfast-mcp") == 0);
        open.forEach(ModernCaller.Stream::close);
    }

    /** Virtual threads of a name that have not ended, out of a dump, since nothing else lists them. */
    private static long virtualThreads(String name) {
        try {
            java.nio.file.Path dump =
                    java.nio.file.Files.createTempDirectory("dump").resolve("threads");
            java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class)
                    .dumpThreads(
                            dump.toString(), com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
            return java.nio.file.Files.readAllLines(dump).stream()
                    .filter(line -> line.contains("\"" + name + "\" virtual"))
                    .count();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void who_listens_and_does_not_read_is_cut_alone() {
        try (ModernCaller.Stream slow = listen();
                ModernCaller.Stream quick = listen()) {
            assertThat(slow.response.statusCode()).isEqualTo(200);
            assertThat(quick.next()).isNotNull();
            until(() -> server.listeners.get() == 2);
            int told = 0;
            while (server.listeners.get() == 2) { // what the sockets hold, and then what the server does
                server.feed.broadcast(new ServerChange.ToolsListChanged());
                assertThat(Objects.requireNonNull(quick.next()).path("method").stringValue())
                        .isEqualTo("notifications/tools/list_changed");
                told++;
            }
            assertThat(told).isGreaterThan(100);
            server.feed.broadcast(new ServerChange.ToolsListChanged());
            assertThat(quick.next()).isNotNull();
            assertThat(server.listeners.get()).isEqualTo(1);
        }
    }

    @Test
    void a_tool_waits_for_a_client_that_does_not_read_and_nothing_is_lost() {
        int events = 3000;
        String line = "x".repeat(10_000);
        java.util.concurrent.atomic.AtomicInteger told = new java.util.concurrent.atomic.AtomicInteger();
        tools.streaming("loud", (ctx, request, notifier) -> {
            for (int i = 0; i < events; i++) {
                notifier.notify("notifications/message", Map.of("level", "info", "data", i + line));
                told.incrementAndGet();
            }
            return TestTools.text("said all");
        });
        try (ModernCaller.Stream stream = caller().open("tools/call", Map.of("name", "loud", "arguments", Map.of()))) {
            int seen = 0;
            JsonNode message = Objects.requireNonNull(stream.next());
            int ahead = 0;
            while (!message.has("result")) {
                assertThat(message.path("params").path("data").stringValue()).isEqualTo(seen + line);
                seen++;
                ahead = Math.max(ahead, told.get() - seen);
                message = Objects.requireNonNull(stream.next());
            }
            assertThat(seen).isEqualTo(events);
            assertThat(ahead).isLessThan(events); // 30 MB never wait at once
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
    void closing_ends_subscriptions_properly_and_cuts_what_runs() {
        try (ModernCaller.Stream listening = listen();
                ModernCaller.Stream running = caller().open(
                                "tools/call",
                                Map.of("name", "teller", "arguments", Map.of("label", "a", "events", 1)))) {
            assertThat(listening.next()).isNotNull();
            assertThat(running.next()).isNotNull();
            until(() -> server.listeners.get() == 1 && tools.counted("came a") == 1);
            server.closeEndpoint();

            JsonNode end = Objects.requireNonNull(listening.next());
            assertThat(end.has("result")).isTrue();
            assertThat(listening.next()).isNull();
            until(() -> tools.counted("interrupted a") == 1);
            assertThatThrownBy(() -> {
                        while (running.line() != null) {
                            // until the cut
                        }
                    })
                    .isInstanceOf(java.io.UncheckedIOException.class);
            assertThat(caller().tool("greet", Map.of()).status()).isEqualTo(503);
        }
    }

    @Test
    void settings_out_of_bounds_are_refused() {
        assertThatThrownBy(() -> ModernServer.plain(tools, era -> era.keepAlive(Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ModernServer.plain(tools, era -> era.maxUnsentBytes(0)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
