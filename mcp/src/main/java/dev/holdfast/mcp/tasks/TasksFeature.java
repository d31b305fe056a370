package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.SubscriptionFilter;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A feature that serves tools, and the tasks that their calls become. Thread-safe. */
final class TasksFeature implements McpFeature {

    private static final Set<String> METHODS = Set.of(TaskWire.GET, TaskWire.UPDATE, TaskWire.CANCEL, TaskWire.STREAM);

    private final McpFeature tools;
    private final ToolCalls calls;
    private final TaskMethods methods;

    TasksFeature(McpFeature tools, ToolCalls calls, TaskMethods methods) {
        this.tools = tools;
        this.calls = calls;
        this.methods = methods;
    }

    @Override
    public Set<String> methods() {
        Set<String> all = new HashSet<>(tools.methods());
        all.addAll(METHODS);
        return all;
    }

    @Override
    public Mono<? extends McpAsyncResponse<? extends McpSchema.Result>> handle(McpRequestContext ctx, Object params) {
        if (ctx.method().equals(TaskWire.CALL)) {
            return Mono.defer(() -> calls.call(ctx, members(params)));
        }
        return METHODS.contains(ctx.method())
                ? ToolCalls.blocking(ctx, () -> methods.answer(ctx, members(params)))
                : tools.handle(ctx, params);
    }

    private static Map<String, @Nullable Object> members(Object params) {
        if (!(params instanceof Map<?, ?> given)) {
            throw TaskErrors.invalid("params is no object.");
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        given.forEach((key, value) -> members.put(String.valueOf(key), value));
        return members;
    }

    @Override
    public void capabilities(McpSchema.ServerCapabilities.Builder builder) {
        tools.capabilities(builder);
        builder.extension(TaskWire.EXTENSION, Map.of());
    }

    @Override
    public Set<String> inputRequiredMethods() {
        return tools.inputRequiredMethods();
    }

    @Override
    public Set<String> completionRefTypes() {
        return tools.completionRefTypes();
    }

    @Override
    public Mono<McpSchema.CompleteResult> complete(McpRequestContext ctx, McpSchema.CompleteRequest request) {
        return tools.complete(ctx, request);
    }

    @Override
    public SubscriptionFilter honouredSubscriptions(McpRequestContext ctx, SubscriptionFilter requested) {
        SubscriptionFilter own = methods.honoured(ctx, requested);
        SubscriptionFilter theirs = tools.honouredSubscriptions(ctx, requested);
        return own.isEmpty() ? theirs : theirs.with(TaskWire.TASK_IDS, own.get(TaskWire.TASK_IDS));
    }
}
