package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.TestTools;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Answers that are streams: their events, signs of life, subscriptions, cuts and slow clients. */
class ModernStreamsTest extends EraTest {

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
}
