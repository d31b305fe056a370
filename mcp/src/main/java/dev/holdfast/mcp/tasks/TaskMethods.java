package dev.holdfast.mcp.tasks;

import dev.holdfast.access.Action;
import dev.holdfast.access.Principal;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.SubscriptionFilter;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of the extension. Each asks whether the caller declares it, and whether the task is the caller's. Thread-safe. */
final class TaskMethods {

    private final TaskEngine engine;

    TaskMethods(TaskEngine engine) {
        this.engine = engine;
        engine.nodes().serve(this::here);
    }

    /** What another node was asked of a task that runs here. */
    private Map<String, @Nullable Object> here(OtherNodes.Asked asked) {
        switch (asked.method()) {
            case TaskWire.GET -> {
                TaskEngine.Found found = engine.find(asked.principal(), Action.READ, asked.id());
                return engine.view().detailed(found.spec(), found.state());
            }
            case TaskWire.UPDATE -> {
                LiveTask live = unfinished(engine.find(asked.principal(), Action.WRITE, asked.id()));
                if (live != null) {
                    live.answer(asked.responses());
                }
            }
            case TaskWire.CANCEL -> {
                LiveTask live = unfinished(engine.find(asked.principal(), Action.WRITE, asked.id()));
                if (live != null) {
                    live.cancel();
                }
            }
            default -> throw TaskErrors.invalid("Nodes do not ask each other for " + asked.method());
        }
        return Map.of();
    }

    McpAsyncResponse<McpSchema.Result> answer(McpRequestContext ctx, Map<String, @Nullable Object> params) {
        TaskWire.requireDeclared(ctx);
        String id = TaskWire.taskId(ctx, params);
        return switch (ctx.method()) {
            case TaskWire.GET -> McpAsyncResponse.result(get(ctx, id));
            case TaskWire.UPDATE -> McpAsyncResponse.result(update(ctx, id, params.get("inputResponses")));
            case TaskWire.CANCEL -> McpAsyncResponse.result(cancel(ctx, id));
            case TaskWire.STREAM -> stream(ctx, id, params.get("after"));
            default -> throw new IllegalArgumentException(ctx.method());
        };
    }

    private McpSchema.Result get(McpRequestContext ctx, String id) {
        TaskEngine.Found found = engine.find(TaskWire.principal(ctx), Action.READ, id);
        return Fields.complete(engine.detailed(found));
    }

    private McpSchema.Result update(McpRequestContext ctx, String id, @Nullable Object given) {
        if (!(given instanceof Map<?, ?> responses)) {
            throw TaskErrors.invalid("params.inputResponses is missing, or no object.");
        }
        responses.forEach((key, response) -> {
            if (!(response instanceof Map)) {
                throw TaskErrors.invalid("params.inputResponses[\"%s\"] is no object.".formatted(key));
            }
        });
        return change(ctx, id, responses);
    }

    private McpSchema.Result cancel(McpRequestContext ctx, String id) {
        return change(ctx, id, Map.of());
    }

    /** Does it here, or has the node do it that the task runs on. */
    private McpSchema.Result change(McpRequestContext ctx, String id, Map<?, ?> responses) {
        Principal principal = TaskWire.principal(ctx);
        TaskEngine.Found found = engine.find(principal, Action.WRITE, id);
        OtherNodes.Asked asked = new OtherNodes.Asked(ctx.method(), principal, id, responses);
        if (engine.isElsewhere(found)) {
            var unused = engine.nodes().ask(found.runner(), asked).orElseThrow(TaskErrors::notStored);
        } else {
            var unused = here(asked);
        }
        return Fields.acknowledged();
    }

    /**
     * The task if it is not done, or null if it is.
     *
     * @throws McpException if it waits to be taken up after a restart: what is done to it now would be lost
     */
    private static @Nullable LiveTask unfinished(TaskEngine.Found found) {
        if (found.live() == null && !found.state().status().isFinal()) {
            throw TaskErrors.notStored();
        }
        return found.live();
    }

    private McpAsyncResponse<McpSchema.Result> stream(McpRequestContext ctx, String id, @Nullable Object given) {
        if (given != null && !(given instanceof Integer || given instanceof Long)) {
            throw TaskErrors.invalid("params.after is no whole number.");
        }
        Long after = given instanceof Number number ? number.longValue() : null;
        if (after != null && after < -1) {
            throw TaskErrors.invalid("params.after is the number of an event, from 0 on, or -1; got " + after + ".");
        }
        TaskEngine.Found found = engine.find(TaskWire.principal(ctx), Action.READ, id);
        TaskFeed feed = TaskFeed.open(engine.streams(found.spec().owner()), id, after);
        return McpAsyncResponse.streaming(feed::tell);
    }

    /**
     * What a subscription may hear of: the caller's own tasks among those it names.
     *
     * @throws McpException if the caller does not declare the extension, or names what are no ids
     */
    SubscriptionFilter honoured(McpRequestContext ctx, SubscriptionFilter requested) {
        Object named = requested.get(TaskWire.TASK_IDS);
        if (named == null) {
            return SubscriptionFilter.EMPTY;
        }
        TaskWire.requireDeclared(ctx);
        if (!(named instanceof List<?> ids) || !ids.stream().allMatch(String.class::isInstance)) {
            throw TaskErrors.invalid("params.notifications.taskIds is a list of strings.");
        }
        if (ids.size() > TaskSettings.MAX_SUBSCRIBED_TASKS) {
            throw TaskErrors.invalid("params.notifications.taskIds names %d tasks; MAX_SUBSCRIBED_TASKS allows %d."
                    .formatted(ids.size(), TaskSettings.MAX_SUBSCRIBED_TASKS));
        }
        List<String> own = ids.stream()
                .map(String.class::cast)
                .distinct()
                .filter(id ->
                        engine.lookUp(TaskWire.principal(ctx), Action.READ, id).isPresent())
                .toList();
        return own.isEmpty() ? SubscriptionFilter.EMPTY : SubscriptionFilter.of(Map.of(TaskWire.TASK_IDS, own));
    }
}
