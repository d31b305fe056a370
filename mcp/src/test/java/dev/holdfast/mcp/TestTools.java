package dev.holdfast.mcp;

import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.CallToolOutcome;
import io.modelcontextprotocol.modern.McpSchema.CallToolRequest;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpSyncNotifier;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncToolRepository;
import io.modelcontextprotocol.modern.server.feature.ToolsPage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Tools that do what tests want: wait for a gate, fail, ask, tell. What they did can be asked for by label. */
public final class TestTools implements McpSyncToolRepository {

    private final Map<String, McpSyncTool> tools = new LinkedHashMap<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

    public TestTools() {
        plain("greet", (ctx, request) -> text("Hello, " + argument(request, "name") + "!"));
        plain("slow_compute", (ctx, request) -> {
            sleep(((Number) argument(request, "seconds")).longValue() * 1000);
            return text("computed " + argument(request, "label"));
        });
        plain("failing_job", (ctx, request) -> {
            sleep(1000);
            return error("the job failed");
        });
        plain("broken", (ctx, request) -> error("it is broken"));
        plain("protocol_error_job", (ctx, request) -> {
            throw new McpException(-32603, "the job panicked", Map.of("why", "test"));
        });
        plain("throwing", (ctx, request) -> {
            throw new IllegalStateException("a defect of the tool");
        });
        plain(
                "confirm_delete",
                (ctx, request) -> answers(request).containsKey("confirm")
                        ? text("deleted " + argument(request, "filename") + " "
                                + answers(request).get("confirm"))
                        : InputRequiredResult.builder()
                                .elicit("confirm", form("Delete?"))
                                .requestState("asked once")
                                .build());
        plain(
                "multi_input",
                (ctx, request) -> answers(request).size() == 2
                        ? text("got " + answers(request).get("first")
                                + answers(request).get("second"))
                        : InputRequiredResult.builder()
                                .elicit("first", form("First?"))
                                .elicit("second", form("Second?"))
                                .build());
        plain(
                "test_tool_with_task",
                (ctx, request) -> answers(request).containsKey("user_name")
                        ? text("done for " + answers(request).get("user_name"))
                        : InputRequiredResult.builder()
                                .elicit("user_name", form("Who?"))
                                .build());
        plain("rounds", this::rounds);
        plain("gate", this::gate);
        plain("patient_gate", this::gate);
        streaming("teller", this::tell);
        streaming("patient_teller", this::tell);
        plain("large", (ctx, request) -> text("x".repeat(((Number) argument(request, "bytes")).intValue())));
    }

    private CallToolOutcome gate(McpRequestContext ctx, CallToolRequest request) {
        String label = String.valueOf(argument(request, "label"));
        pass(label);
        return text("through " + label);
    }

    /** Tells as often as told, waits at a gate, and tells once more. */
    private CallToolOutcome tell(McpRequestContext ctx, CallToolRequest request, McpSyncNotifier notifier) {
        int events = ((Number) argument(request, "events")).intValue();
        for (int i = 1; i <= events; i++) {
            notifier.progress(i, (double) events, "step " + i);
            if (i % 2 == 0) {
                notifier.notify("notifications/message", Map.of("level", "info", "data", "line " + i));
            }
        }
        String label = String.valueOf(argument(request, "label"));
        pass(label);
        notifier.progress(events + 1, (double) events + 1, "last");
        return text("told " + label);
    }

    /** Asks as often as told, under the same key each time, and counts in its state. */
    private CallToolOutcome rounds(McpRequestContext ctx, CallToolRequest request) {
        count("rounds");
        int done = request.requestState() == null ? 0 : Integer.parseInt(request.requestState());
        int wanted = ((Number) argument(request, "rounds")).intValue();
        if (done == wanted) {
            return text("answered " + done + " times, last " + answers(request).get("again"));
        }
        return InputRequiredResult.builder()
                .elicit("again", form("Again " + done + "?"))
                .requestState(Integer.toString(done + 1))
                .build();
    }

    /** A tool that answers at once or after a while. */
    @FunctionalInterface
    public interface Plain {
        CallToolOutcome call(McpRequestContext ctx, CallToolRequest request);
    }

    /** A tool that tells of its progress. */
    @FunctionalInterface
    public interface Streaming {
        CallToolOutcome call(McpRequestContext ctx, CallToolRequest request, McpSyncNotifier notifier);
    }

    public TestTools plain(String name, Plain tool) {
        tools.put(
                name,
                McpSyncTool.of(definition(name), (ctx, request) -> McpSyncResponse.result(tool.call(ctx, request))));
        return this;
    }

    public TestTools streaming(String name, Streaming tool) {
        tools.put(
                name,
                McpSyncTool.of(
                        definition(name),
                        (ctx, request) -> McpSyncResponse.streaming(notifier -> tool.call(ctx, request, notifier))));
        return this;
    }

    private static McpSchema.Tool definition(String name) {
        return McpSchema.Tool.builder(name, Map.of("type", "object"))
                .description(name)
                .build();
    }

    /** Waits at a gate; counts who came, who got through and who was interrupted. */
    public void pass(String label) {
        count("came " + label);
        try {
            gate(label).await();
        } catch (InterruptedException e) {
            count("interrupted " + label);
            throw new IllegalStateException("interrupted", e);
        }
        count("passed " + label);
    }

    private CountDownLatch gate(String label) {
        return gates.computeIfAbsent(label, name -> new CountDownLatch(1));
    }

    public void open(String label) {
        gate(label).countDown();
    }

    private void count(String what) {
        counts.computeIfAbsent(what, name -> new AtomicInteger()).incrementAndGet();
    }

    public int counted(String what) {
        AtomicInteger count = counts.get(what);
        return count == null ? 0 : count.get();
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    public static CallToolResult text(String text) {
        return CallToolResult.builder()
                .addContent(McpSchema.TextContent.builder(text).build())
                .build();
    }

    public static CallToolResult error(String text) {
        return CallToolResult.builder()
                .addContent(McpSchema.TextContent.builder(text).build())
                .isError(true)
                .build();
    }

    static ElicitFormRequest form(String message) {
        return ElicitFormRequest.builder(
                        message, Map.of("type", "object", "properties", Map.of("answer", Map.of("type", "string"))))
                .build();
    }

    private static Object argument(CallToolRequest request, String name) {
        Map<String, Object> arguments = request.arguments();
        Object value = arguments == null ? null : arguments.get(name);
        return value == null ? "nothing" : value;
    }

    private static Map<String, Object> answers(CallToolRequest request) {
        return request.inputResponses() == null ? Map.of() : request.inputResponses();
    }

    @Override
    public ToolsPage list(McpRequestContext ctx, @Nullable String cursor) {
        return ToolsPage.of(tools.values().stream().map(McpSyncTool::definition).toList());
    }

    @Override
    @SuppressWarnings("NullAway") // null is how a repository says that there is none
    public McpSyncTool find(McpRequestContext ctx, String name) {
        return tools.get(name);
    }

    public List<String> names() {
        return List.copyOf(tools.keySet());
    }
}
