package dev.holdfast.mcp.modern;

import static org.awaitility.Awaitility.await;

import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.JsonNode;

/** A server of 2026-07-28 on a real socket that soon shows signs of life, and lets little wait for a client. */
abstract class EraTest {

    final TestTools tools = new TestTools();

    final ModernServer server = ModernServer.plain(
            tools,
            era -> era.keepAlive(Duration.ofMillis(50))
                    .maxUnsentBytes(64 << 10)
                    .context(call -> Map.of("path", call.exchange().head().rawPath())));

    @AfterEach
    void stop() {
        server.close();
    }

    ModernCaller caller() {
        return new ModernCaller(server.uri());
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    static String text(JsonNode result) {
        return result.path("content").path(0).path("text").asString("");
    }
}
