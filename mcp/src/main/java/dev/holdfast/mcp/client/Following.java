package dev.holdfast.mcp.client;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.client.McpInvalidResultException;
import io.modelcontextprotocol.modern.client.McpResponseLostException;
import io.modelcontextprotocol.modern.client.McpTimeoutException;
import io.modelcontextprotocol.modern.client.transport.McpHttpStatusException;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Follows one task for one round of a call: until it is done, or asks something. */
final class Following {

    private static final Logger LOG = LoggerFactory.getLogger(Following.class);

    private static final int INTERNAL_ERROR = -32603;

    /** The reasons of Holdfast's servers for errors that pass by themselves. */
    private static final Set<String> PASSING = Set.of(
            "closing",
            "not_stored",
            "too_many_tasks",
            "too_many_task_bytes",
            "overloaded",
            "store-busy",
            "store-full",
            "store-locked",
            "closed");

    private static final Duration USUAL_POLL = Duration.ofSeconds(1);
    private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

    private final TaskFollowing settings;
    private final McpTransportRequest call;
    private final FollowState state;
    private final ContextView context;
    private final String tool;

    /** Whether there is no need to cancel the task any more. */
    private final AtomicBoolean done = new AtomicBoolean();

    private volatile Duration poll = USUAL_POLL;
    private volatile @Nullable FollowedTask seen;

    /** When requests began to fail, on the monotonic clock; null while they do not. */
    private volatile @Nullable Long failingSince;

    Following(TaskFollowing settings, McpTransportRequest call, FollowState state, ContextView context) {
        this.settings = settings;
        this.call = call;
        this.state = state;
        this.context = context;
        this.tool = call.name() == null ? "" : call.name();
    }

    /** From the handle on, which was just given. */
    Mono<JSONRPCMessage> from(Map<?, ?> handle) {
        return cancelling(observed(handle).then(Mono.defer(this::later)));
    }

    /** From an answer on, or from a task that was known before. */
    Mono<JSONRPCMessage> again(Map<?, ?> responses) {
        if (responses.isEmpty()) {
            return cancelling(Mono.defer(this::look));
        }
        return cancelling(insistent(() -> ask("tasks/update", Map.of("inputResponses", responses)))
                .flatMap(answer -> answer.error() != null ? Mono.just(failed(answer.error())) : look()));
    }

    /** Whoever stops listening cancels the task. */
    private Mono<JSONRPCMessage> cancelling(Mono<JSONRPCMessage> following) {
        return following.doOnNext(message -> done.set(true)).doOnCancel(() -> {
            if (settings.cancels() && done.compareAndSet(false, true)) {
                var unused = ask("tasks/cancel", Map.of())
                        .contextWrite(context)
                        .subscribe(answer -> {}, e -> LOG.debug("Task {} was not cancelled", state.taskId(), e));
            }
        });
    }

    private Mono<JSONRPCMessage> later() {
        return Mono.delay(poll).then(Mono.defer(this::look));
    }

    private Mono<JSONRPCMessage> look() {
        return insistent(() -> ask("tasks/get", Map.of())).flatMap(answer -> {
            if (answer.error() != null) {
                return Mono.just(failed(answer.error()));
            }
            if (!(answer.result() instanceof Map<?, ?> task)) {
                return Mono.error(new McpInvalidResultException("tasks/get", "complete", "A task is an object"));
            }
            return observed(task).then(Mono.defer(() -> next(task)));
        });
    }

    private Mono<JSONRPCMessage> next(Map<?, ?> task) {
        return switch (String.valueOf(task.get("status"))) {
            case "completed" -> Mono.just(completed(task.get("result")));
            case "failed" -> Mono.just(failed(error(task.get("error"))));
            case "cancelled" -> {
                done.set(true);
                yield Mono.error(new TaskCancelledException(state.taskId()));
            }
            case "input_required" -> asked(task.get("inputRequests"));
            default -> later();
        };
    }

    private JSONRPCMessage completed(@Nullable Object result) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (result instanceof Map<?, ?> given) {
            given.forEach((key, value) -> fields.put(String.valueOf(key), value));
        }
        fields.putIfAbsent("resultType", "complete");
        return JSONRPCResponse.result(call.message().id(), fields);
    }

    private JSONRPCMessage failed(JSONRPCError error) {
        return JSONRPCResponse.error(call.message().id(), error);
    }

    private static JSONRPCError error(@Nullable Object given) {
        return given instanceof Map<?, ?> error
                        && error.get("code") instanceof Number code
                        && error.get("message") instanceof String message
                ? new JSONRPCError(code.intValue(), message, error.get("data"))
                : new JSONRPCError(INTERNAL_ERROR, "The task failed without an error");
    }

    /** Hands questions that are new to the client's own handlers, as if the tool had asked them in its answer. */
    private Mono<JSONRPCMessage> asked(@Nullable Object requests) {
        Map<String, @Nullable Object> fresh = new LinkedHashMap<>();
        if (requests instanceof Map<?, ?> given) {
            given.forEach((key, value) -> fresh.put(String.valueOf(key), value));
        }
        fresh.keySet().removeAll(state.answered());
        if (fresh.isEmpty()) {
            return later();
        }
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("resultType", "input_required");
        result.put("inputRequests", fresh);
        result.put("requestState", state.encode());
        return Mono.just(JSONRPCResponse.result(call.message().id(), result));
    }

    private Mono<Void> observed(Map<?, ?> task) {
        poll = task.get("pollIntervalMs") instanceof Number millis
                ? longer(Duration.ofMillis(millis.longValue()))
                : USUAL_POLL;
        FollowedTask now = new FollowedTask(
                state.taskId(),
                tool,
                String.valueOf(task.get("status")),
                task.get("statusMessage") instanceof String message ? message : null);
        if (now.equals(seen)) {
            return Mono.empty();
        }
        seen = now;
        return Mono.<Void>fromRunnable(() -> settings.tell(now)).subscribeOn(Schedulers.boundedElastic());
    }

    private static Duration longer(Duration interval) {
        return interval.compareTo(SHORTEST_POLL) < 0 ? SHORTEST_POLL : interval;
    }

    private Mono<JSONRPCResponse> ask(String method, Map<String, ? extends @Nullable Object> params) {
        return settings.inner()
                .exchange(Requests.about(call, method, state.taskId(), params))
                .ofType(JSONRPCResponse.class)
                .next()
                .switchIfEmpty(Mono.error(() -> new McpResponseLostException(
                        method, new IllegalStateException("The exchange completed without a response"))));
    }

    /** Asks again for as long as a restart may take: each of these requests may be made twice. */
    private Mono<JSONRPCResponse> insistent(Supplier<Mono<JSONRPCResponse>> request) {
        return Mono.defer(request)
                .flatMap(answer -> isPassing(answer) ? Mono.error(new Refused(answer.error())) : Mono.just(answer))
                .doOnNext(answer -> failingSince = null)
                .onErrorResume(e -> isPassing(e) && mayGoOn(), e -> {
                    LOG.debug("Task {} cannot be asked for now", state.taskId(), e);
                    return Mono.delay(poll).then(Mono.defer(() -> insistent(request)));
                });
    }

    /** A server that says that it is another one's turn, or another time, for the same request. */
    private static boolean isPassing(JSONRPCResponse answer) {
        return answer.error() != null
                && answer.error().code() == INTERNAL_ERROR
                && answer.error().data() instanceof Map<?, ?> data
                && data.get("reason") instanceof String reason
                && PASSING.contains(reason);
    }

    private static final class Refused extends McpException {
        private Refused(JSONRPCError error) {
            super(error);
        }
    }

    private static boolean isPassing(Throwable e) {
        return e instanceof IOException
                || e instanceof Refused
                || e instanceof McpResponseLostException
                || e instanceof McpTimeoutException
                || (e instanceof McpHttpStatusException status && status.statusCode() >= 500);
    }

    private boolean mayGoOn() {
        long now = System.nanoTime();
        Long since = failingSince;
        if (since == null) {
            failingSince = now;
            return true;
        }
        return now - since < settings.patience().toNanos();
    }
}
