package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A call that asked its client something, answered after the server was started again. */
class RequestStatesTest {

    @TempDir
    Path folder;

    private ModernServer start() {
        return ModernServer.keyed(Holdfast.open(folder), new TestTools(), UnaryOperator.identity());
    }

    private static ModernCaller caller(ModernServer server, int key) {
        return new ModernCaller(server.uri()).undeclared().key(ModernServer.KEYS.get(key));
    }

    private static Map<String, Object> answer(String state) {
        return Map.of(
                "name",
                "confirm_delete",
                "arguments",
                Map.of("filename", "f"),
                "requestState",
                state,
                "inputResponses",
                Map.of("confirm", Map.of("action", "accept", "content", Map.of("value", "yes"))));
    }

    @Test
    void a_state_that_one_process_sealed_is_opened_by_the_next_for_the_same_principal_only() {
        String state;
        try (ModernServer server = start()) {
            JsonNode asked = caller(server, 0)
                    .ask("tools/call", Map.of("name", "confirm_delete", "arguments", Map.of("filename", "f")))
                    .result();
            assertThat(asked.path("resultType").stringValue()).isEqualTo("input_required");
            state = asked.path("requestState").stringValue();
        }
        try (ModernServer server = start()) {
            assertThat(caller(server, 1).ask("tools/call", answer(state)).code())
                    .isEqualTo(-32602);
            JsonNode done = caller(server, 0).ask("tools/call", answer(state)).result();
            assertThat(done.path("content").path(0).path("text").stringValue()).startsWith("deleted f");
        }
    }
}
