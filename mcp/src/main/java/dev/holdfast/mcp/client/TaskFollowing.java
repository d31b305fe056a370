package dev.holdfast.mcp.client;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.client.transport.McpClientTransport;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Makes clients of the SDK's package {@code modern} follow tasks (SEP-2663): a call that became a task looks like a call that took long.
 *
 * <pre>{@code
 * McpSyncClient client = McpClient.sync(TaskFollowing.of(HttpClientMcpTransport.builder(uri).build())).build();
 * client.tool("slow_compute").call();
 * }</pre>
 *
 * <ul>
 *   <li>Each request declares the extension, and so a server may answer a call with a task. It is asked for as often as it wants to be.
 *   <li>What a task asks is put to the client's own handlers, as if the tool had asked it at once; it counts as a round of input.
 *   <li>A call that ends by an error of such a handler leaves its task waiting: it can be {@linkplain #resume resumed} until its time is over.
 *   <li>Whoever disposes a call, or lets its timeout pass, cancels its task. While the client's handlers answer a question nothing is followed, and
 *       the SDK tells nobody of a call that is disposed then: such a task goes on waiting, and can be resumed or is over with its time.
 *   <li>A server that does not answer, because it is started again perhaps, is asked again for a while; so is one that refuses by an internal error
 *       (-32603) whose {@code data.reason} says that it passes, as those of Holdfast do. Every other error ends the call.
 *   <li>A client that was started again goes on with a task whose id it kept: {@link #resume}.
 * </ul>
 *
 * <p>A client's round timeout is for each request, its call timeout for the whole. Thread-safe.
 */
public final class TaskFollowing implements McpClientTransport {

    /** How long a server may be gone while a task is followed. */
    public static final Duration DEFAULT_PATIENCE = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(TaskFollowing.class);

    private final McpClientTransport inner;
    private final Consumer<FollowedTask> listener;
    private final Duration patience;
    private final boolean cancels;

    private TaskFollowing(Builder builder) {
        this.inner = builder.inner;
        this.listener = builder.listener;
        this.patience = builder.patience;
        this.cancels = builder.cancels;
    }

    /** With every default. */
    public static TaskFollowing of(McpClientTransport transport) {
        return builder(transport).build();
    }

    /**
     * @param transport carries the requests
     */
    public static Builder builder(McpClientTransport transport) {
        return new Builder(transport);
    }

    /** Collects how tasks are followed. One thread at a time. */
    public static final class Builder {
        private final McpClientTransport inner;
        private Consumer<FollowedTask> listener = task -> {};
        private Duration patience = DEFAULT_PATIENCE;
        private boolean cancels = true;

        private Builder(McpClientTransport transport) {
            this.inner = transport;
        }

        /**
         * Is told of each task before it is followed, and of each change that is seen. May block; what it throws is logged. The place to keep ids
         * for {@link TaskFollowing#resume}.
         */
        public Builder onTask(Consumer<FollowedTask> told) {
            this.listener = told;
            return this;
        }

        /** How long a server may be gone before a call fails. */
        public Builder patience(Duration time) {
            this.patience = time;
            return this;
        }

        /** Lets tasks of calls that are disposed or time out go on, to be resumed later. */
        public Builder keepTasksOfCancelledCalls() {
            this.cancels = false;
            return this;
        }

        public TaskFollowing build() {
            return new TaskFollowing(this);
        }
    }

    /**
     * Goes on with a task that is known by its id: {@code client.tool(name).requestState(TaskFollowing.resume(id)).call()} calls nothing again, and
     * ends as the call would have that the task was made by.
     *
     * @param taskId as told to {@link Builder#onTask}
     * @return a request state for the client's builder of calls
     */
    public static String resume(String taskId) {
        return FollowState.of(taskId).encode();
    }

    @Override
    public boolean mirrorsToolParams() {
        return inner.mirrorsToolParams();
    }

    @Override
    public Flux<JSONRPCMessage> exchange(McpTransportRequest request) {
        if (!request.method().equals("tools/call")) {
            return inner.exchange(Requests.declared(request));
        }
        Map<String, @Nullable Object> params = Requests.params(request.message());
        FollowState known = FollowState.in(params);
        return Flux.deferContextual(context -> {
            if (known != null) {
                Map<?, ?> responses = params.get("inputResponses") instanceof Map<?, ?> given ? given : Map.of();
                return new Following(this, request, known.with(keys(responses)), context).again(responses);
            }
            return inner.exchange(Requests.declared(request)).concatMap(message -> {
                Map<?, ?> handle = handle(message);
                return handle == null
                        ? Mono.just(message)
                        : new Following(this, request, FollowState.of(String.valueOf(handle.get("taskId"))), context)
                                .from(handle);
            });
        });
    }

    private static Set<String> keys(Map<?, ?> responses) {
        Set<String> keys = new TreeSet<>();
        responses.keySet().forEach(key -> keys.add(String.valueOf(key)));
        return keys;
    }

    private static @Nullable Map<?, ?> handle(JSONRPCMessage message) {
        return message instanceof JSONRPCResponse response
                        && response.result() instanceof Map<?, ?> result
                        && "task".equals(result.get("resultType"))
                        && result.get("taskId") instanceof String
                ? result
                : null;
    }

    void tell(FollowedTask task) {
        try {
            listener.accept(task);
        } catch (RuntimeException e) {
            LOG.warn("A listener of tasks failed", e);
        }
    }

    McpClientTransport inner() {
        return inner;
    }

    Duration patience() {
        return patience;
    }

    boolean cancels() {
        return cancels;
    }
}
