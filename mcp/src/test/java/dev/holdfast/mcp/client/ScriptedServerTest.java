package dev.holdfast.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.mcp.ModernCaller;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitResult;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.transport.McpClientTransport;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

/** Servers that do what the specification allows and ours does not, or what it forbids. */
class ScriptedServerTest {

    /** Answers the next request in line; each answer is a result's members, or an error to throw. */
    private static final class Script implements McpClientTransport {
        private final Deque<Object> answers = new ArrayDeque<>();
        private final List<McpTransportRequest> requests = new ArrayList<>();

        Script then(Object answer) {
            answers.add(answer);
            return this;
        }

        @Override
        public Flux<JSONRPCMessage> exchange(McpTransportRequest request) {
            requests.add(request);
            return switch (answers.remove()) {
                case Throwable failure -> Flux.error(failure);
                case JSONRPCResponse.JSONRPCError error ->
                    Flux.just(JSONRPCResponse.error(request.message().id(), error));
                case Object result ->
                    Flux.just(JSONRPCResponse.result(request.message().id(), result));
            };
        }

        List<String> methods() {
            return requests.stream().map(McpTransportRequest::method).toList();
        }

        JsonNode params(int request) throws IOException {
            return dev.holdfast.http.Json.MAPPER
                    .readTree(McpJsonDefaults.getMapper()
                            .writeValueAsString(requests.get(request).message()))
                    .path("params");
        }
    }

    private static Map<String, Object> task(String status, Map<String, Object> more) {
        Map<String, Object> task = new HashMap<>(Map.of(
                "resultType",
                "complete",
                "taskId",
                "t",
                "status",
                status,
                "pollIntervalMs",
                1,
                "createdAt",
                "x",
                "lastUpdatedAt",
                "x"));
        task.putAll(more);
        return task;
    }

    private static Map<String, Object> handle() {
        return task("working", Map.of("resultType", "task"));
    }

    private static Map<String, Object> question(String... keys) {
        Map<String, Object> requests = new HashMap<>();
        for (String key : keys) {
            requests.put(
                    key,
                    Map.of(
                            "method",
                            "elicitation/create",
                            "params",
                            Map.of("mode", "form", "message", key, "requestedSchema", Map.of("type", "object"))));
        }
        return task("input_required", Map.of("inputRequests", requests));
    }

    private static Map<String, Object> done() {
        return task("completed", Map.of("result", Map.of("content", List.of(Map.of("type", "text", "text", "done")))));
    }

    private static final Map<String, Object> ACKNOWLEDGED = Map.of("resultType", "complete");

    private static CallToolResult call(Script script, List<String> asked) {
        return McpClient.sync(TaskFollowing.of(script))
                .formElicitation(form -> {
                    asked.add(form.message());
                    return ElicitResult.accept(Map.of("to", form.message()));
                })
                .build()
                .tool("tool")
                .call();
    }

    @Test
    void every_request_declares_the_extension_and_names_its_task() throws Exception {
        Script script =
                new Script().then(handle()).then(task("working", Map.of())).then(done());
        CallToolResult result = call(script, new ArrayList<>());
        assertThat(((TextContent) result.content().getFirst()).text()).isEqualTo("done");
        assertThat(script.methods()).containsExactly("tools/call", "tasks/get", "tasks/get");
        for (int i = 0; i < 3; i++) {
            assertThat(script.params(i)
                            .path("_meta")
                            .path("io.modelcontextprotocol/clientCapabilities")
                            .path("extensions")
                            .has(ModernCaller.TASKS))
                    .isTrue();
            assertThat(script.params(i)
                            .path("_meta")
                            .path("io.modelcontextprotocol/protocolVersion")
                            .stringValue())
                    .isEqualTo("2026-07-28");
        }
        assertThat(script.params(1).path("taskId").stringValue()).isEqualTo("t");
        assertThat(script.requests.get(1).name()).isEqualTo("t");
        assertThat(script.requests.get(1).message().id())
                .isNotEqualTo(script.requests.get(2).message().id());
    }

    @Test
    void a_question_that_is_shown_again_after_its_answer_is_answered_once() throws Exception {
        Script script = new Script()
                .then(handle())
                .then(question("a", "b"))
                .then(ACKNOWLEDGED)
                .then(question("a", "b"))
                .then(question("b"))
                .then(task("working", Map.of()))
                .then(question("c"))
                .then(ACKNOWLEDGED)
                .then(question("c"))
                .then(done());
        List<String> asked = new ArrayList<>();
        call(script, asked);
        assertThat(asked).containsExactlyInAnyOrder("a", "b", "c").endsWith("c");
        assertThat(script.methods())
                .containsExactly(
                        "tools/call",
                        "tasks/get",
                        "tasks/update",
                        "tasks/get",
                        "tasks/get",
                        "tasks/get",
                        "tasks/get",
                        "tasks/update",
                        "tasks/get",
                        "tasks/get");
        assertThat(script.params(2)
                        .path("inputResponses")
                        .path("a")
                        .path("content")
                        .path("to")
                        .stringValue())
                .isEqualTo("a");
        assertThat(script.params(7).path("inputResponses").propertyNames()).containsExactly("c");
        assertThat(script.params(2).has("requestState")).isFalse();
    }

    @Test
    void what_passes_is_tried_again() {
        Script script = new Script()
                .then(handle())
                .then(new IOException("reset"))
                .then(new JSONRPCResponse.JSONRPCError(-32603, "closing", Map.of("reason", "closing")))
                .then(new JSONRPCResponse.JSONRPCError(-32603, "not now", Map.of("reason", "not_stored")))
                .then(question("a"))
                .then(new IOException("reset"))
                .then(ACKNOWLEDGED)
                .then(new IOException("reset"))
                .then(done());
        assertThat(call(script, new ArrayList<>()).content()).hasSize(1);
        assertThat(script.answers).isEmpty();
    }

    @Test
    void the_call_itself_is_not_made_twice() {
        Script script = new Script().then(new IOException("reset"));
        assertThatThrownBy(() -> call(script, new ArrayList<>())).isNotNull();
        assertThat(script.methods()).containsExactly("tools/call");
    }

    @Test
    void an_error_of_a_look_or_an_answer_ends_the_call() {
        JSONRPCResponse.JSONRPCError gone = new JSONRPCResponse.JSONRPCError(-32602, "gone");
        assertThatThrownBy(() -> call(new Script().then(handle()).then(gone), new ArrayList<>()))
                .isInstanceOf(McpException.class)
                .hasMessage("gone");
        assertThatThrownBy(() ->
                        call(new Script().then(handle()).then(question("a")).then(gone), new ArrayList<>()))
                .isInstanceOf(McpException.class)
                .hasMessage("gone");
    }

    @Test
    void an_error_that_does_not_say_that_it_passes_ends_the_call_at_once() {
        for (Object data : List.of(Map.of(), Map.of("reason", "internal-error"), Map.of("reason", 7), "closing")) {
            Script looking = new Script().then(handle()).then(new JSONRPCResponse.JSONRPCError(-32603, "no", data));
            assertThatThrownBy(() -> call(looking, new ArrayList<>()))
                    .isInstanceOf(McpException.class)
                    .hasMessage("no");
            assertThat(looking.methods()).containsExactly("tools/call", "tasks/get");
            Script answering = new Script()
                    .then(handle())
                    .then(question("a"))
                    .then(new JSONRPCResponse.JSONRPCError(-32603, "no", data));
            assertThatThrownBy(() -> call(answering, new ArrayList<>()))
                    .isInstanceOf(McpException.class)
                    .hasMessage("no");
            assertThat(answering.methods()).containsExactly("tools/call", "tasks/get", "tasks/update");
        }
    }

    @Test
    void a_state_of_a_servers_own_is_handed_back_to_it() throws Exception {
        Map<String, Object> asking = new HashMap<>(question("a"));
        asking.put("resultType", "input_required");
        asking.put("requestState", "dev.holdfast.task:not ours");
        Script script = new Script()
                .then(asking)
                .then(Map.of("resultType", "complete", "content", List.of(Map.of("type", "text", "text", "done"))));
        assertThat(call(script, new ArrayList<>()).content()).hasSize(1);
        assertThat(script.methods()).containsExactly("tools/call", "tools/call");
        assertThat(script.params(1).path("requestState").stringValue()).isEqualTo("dev.holdfast.task:not ours");
    }

    @Test
    void a_failure_without_an_error_is_still_one() {
        Script script = new Script().then(handle()).then(task("failed", Map.of()));
        assertThatThrownBy(() -> call(script, new ArrayList<>()))
                .isInstanceOfSatisfying(
                        McpException.class, e -> assertThat(e.error().code()).isEqualTo(-32603));
    }
}
