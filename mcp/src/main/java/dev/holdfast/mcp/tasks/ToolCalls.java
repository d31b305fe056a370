package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncNotifier;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls of tools: which become tasks, and when. Thread-safe. */
final class ToolCalls {

    private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);

    private final TaskEngine engine;
    private final McpFeature tools;
    private final Map<String, DurableTasks.Rule> rules;

    ToolCalls(TaskEngine engine, McpFeature tools, Map<String, DurableTasks.Rule> rules) {
        this.engine = engine;
        this.tools = tools;
        this.rules = rules;
    }

    Mono<? extends McpAsyncResponse<? extends McpSchema.Result>> call(
            McpRequestContext ctx, Map<String, @Nullable Object> params) {
        DurableTasks.Rule rule = params.get("name") instanceof String name ? rules.get(name) : null;
        if (rule == null) {
            return tools.handle(ctx, params);
        }
        TaskPolicy policy = rule.policy();
        if (!TaskWire.declared(ctx)) {
            return policy.isRequired() ? Mono.error(TaskErrors.extensionMissing()) : tools.handle(ctx, params);
        }
        if (policy.asksFirst() && !ctx.isRetry()) {
            return tools.handle(ctx, params);
        }
        return switch (policy.kind()) {
            case ALWAYS -> blocking(ctx, () -> begin(ctx, params));
            case ON_REQUEST -> asked(ctx) ? blocking(ctx, () -> begin(ctx, params)) : tools.handle(ctx, params);
            case AFTER -> blocking(ctx, () -> patiently(ctx, params, policy.patience()));
        };
    }

    private static boolean asked(McpRequestContext ctx) {
        Object asked = ctx.meta().get(TaskPolicy.REQUEST_META);
        return asked != null && !Boolean.FALSE.equals(asked);
    }

    /** Work that blocks, on a thread that may. Who cancels it interrupts it. */
    static <T> Mono<T> blocking(McpRequestContext ctx, Callable<T> work) {
        Mono<T> mono = Mono.fromCallable(work).onErrorMap(HoldfastException.class, e -> {
            LOG.warn("{} could not be done: {}", ctx.method(), TaskSpec.withoutIds(e));
            return TaskErrors.notStored();
        });
        return ctx.isBlocking() ? mono : mono.subscribeOn(Schedulers.boundedElastic());
    }

    private McpAsyncResponse<? extends McpSchema.Result> begin(
            McpRequestContext ctx, Map<String, @Nullable Object> params) {
        LiveTask task = engine.create(ctx, params);
        McpAsyncResponse<McpSchema.Result> handle = handle(task);
        task.adopt(Attempt.call(tools, ctx, params));
        return handle;
    }

    private McpAsyncResponse<McpSchema.Result> handle(LiveTask task) {
        return McpAsyncResponse.result(result(task));
    }

    private McpSchema.Result result(LiveTask task) {
        return Fields.task(engine.view().plain(task.spec(), task.state()));
    }

    private McpAsyncResponse<? extends McpSchema.Result> patiently(
            McpRequestContext ctx, Map<String, @Nullable Object> params, Duration patience) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        Attempt<McpAsyncResponse<? extends McpSchema.Result>> attempt = Attempt.call(tools, ctx, params);
        Optional<McpAsyncResponse<? extends McpSchema.Result>> response = outcome(attempt, patience);
        if (response.isEmpty()) {
            LiveTask task = create(ctx, params, attempt);
            McpAsyncResponse<McpSchema.Result> handle = handle(task);
            task.adopt(attempt);
            return handle;
        }
        if (response.get() instanceof McpAsyncResponse.Streaming<? extends McpSchema.Result> streaming) {
            return McpAsyncResponse.<McpSchema.Result>streaming(
                    notifier -> blocking(ctx, () -> stream(ctx, params, streaming, notifier, deadline)));
        }
        return response.get();
    }

    private McpSchema.Result stream(
            McpRequestContext ctx,
            Map<String, @Nullable Object> params,
            McpAsyncResponse.Streaming<? extends McpSchema.Result> streaming,
            McpAsyncNotifier caller,
            long deadline)
            throws Exception {
        ChangingNotifier notifier = new ChangingNotifier(caller);
        Attempt<McpSchema.Result> attempt = Attempt.stream(streaming, notifier);
        Optional<McpSchema.Result> result = outcome(attempt, Duration.ofNanos(deadline - System.nanoTime()));
        if (result.isPresent()) {
            return result.get();
        }
        LiveTask task = create(ctx, params, attempt);
        McpSchema.Result handle = result(task);
        task.adopt(attempt, notifier);
        return handle;
    }

    /** Makes a task of a call that goes on; if that cannot be, the call is at its end. */
    private LiveTask create(McpRequestContext ctx, Map<String, @Nullable Object> params, Attempt<?> attempt) {
        boolean made = false;
        try {
            LiveTask task = engine.create(ctx, params);
            made = true;
            return task;
        } finally {
            if (!made) {
                attempt.cancel();
            }
        }
    }

    private static <T> Optional<T> outcome(Attempt<T> attempt, Duration patience) throws Exception {
        try {
            return attempt.await(patience);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception failure) {
                throw failure;
            }
            throw e;
        }
    }
}
