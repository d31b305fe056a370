package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.mcp.Pause;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What tasks need to run: the tools, the clock, and who is told. Thread-safe. */
final class TaskRuns {

    private static final Logger LOG = LoggerFactory.getLogger(TaskRuns.class);

    private static final TypeRef<Map<String, @Nullable Object>> MAP = new TypeRef<>() {};

    private final McpFeature tools;
    private final McpJsonMapper mapper;
    private final TaskSettings settings;
    private final Unfinished unfinished;
    private final OtherNodes nodes;
    private final CallContexts contexts = new CallContexts();
    private final Consumer<LiveTask> changed;
    private final Consumer<LiveTask> ended;

    /**
     * @param changed is told of each change that is durable
     * @param ended is told, once, of each task that is over or was let go
     */
    TaskRuns(
            McpFeature tools,
            McpJsonMapper mapper,
            TaskSettings settings,
            Unfinished unfinished,
            OtherNodes nodes,
            Consumer<LiveTask> changed,
            Consumer<LiveTask> ended) {
        this.tools = tools;
        this.mapper = mapper;
        this.settings = settings;
        this.unfinished = unfinished;
        this.nodes = nodes;
        this.changed = changed;
        this.ended = ended;
    }

    McpFeature tools() {
        return tools;
    }

    McpJsonMapper mapper() {
        return mapper;
    }

    /** Whether an error says that the stream's shard has another holder: the next try finds it. */
    boolean isHandedOver(HoldfastException e) {
        return nodes.peers().isCluster()
                && !nodes.isClosed()
                && (e instanceof HoldfastException.StorePoisoned
                        || e instanceof HoldfastException.Closed
                        || e instanceof HoldfastException.OutcomeUnknown);
    }

    /** Something of a task was not written. Returns whether nothing will be: its time is over, or the store takes nothing more. */
    boolean isGivenUp(TaskSpec spec, HoldfastException e) {
        if (isHandedOver(e)) {
            LOG.warn("{} is written at its shard's new place: {}", spec.label(), TaskSpec.withoutIds(e));
            return false;
        }
        if (e instanceof HoldfastException.StreamNotFound || e instanceof HoldfastException.Closed) {
            LOG.debug("{} is gone before its tool is done", spec.label());
            return true;
        }
        LOG.error("{} could not be written: {}", spec.label(), TaskSpec.withoutIds(e));
        return e instanceof HoldfastException.StorePoisoned
                || e instanceof HoldfastException.StaleEpoch
                || e instanceof HoldfastException.StreamClosed
                || e instanceof HoldfastException.StreamGone;
    }

    long now() {
        return settings.time().wallMillis();
    }

    /** Calls a task's tool, with the answers to its last questions. */
    Attempt<McpAsyncResponse<? extends McpSchema.Result>> call(TaskSpec spec, @Nullable InputRound round) {
        Map<String, @Nullable Object> params = new LinkedHashMap<>(spec.params());
        if (round != null) {
            params.remove("inputResponses");
            params.remove("requestState");
            if (!round.answers().isEmpty()) {
                params.put("inputResponses", round.answers());
            }
            if (round.requestState() != null) {
                params.put("requestState", round.requestState());
            }
        }
        return Attempt.call(tools, contexts.of(spec, params), params);
    }

    /**
     * The members of what a tool returned.
     *
     * @throws IllegalStateException if it is no proper result
     */
    Map<String, @Nullable Object> members(McpSchema.Result result) {
        Map<String, @Nullable Object> members = Objects.requireNonNull(mapper.convertValue(result, MAP));
        if (!(members.get("resultType") instanceof String type) || type.isBlank()) {
            throw new IllegalStateException("A result without resultType");
        }
        return members;
    }

    /** An error with data of maps, lists and the like, as it comes back from the store. */
    JSONRPCError plain(JSONRPCError error) {
        return error.data() == null
                ? error
                : new JSONRPCError(error.code(), error.message(), mapper.convertValue(error.data(), Object.class));
    }

    InputRound round(int number, McpSchema.InputRequired questions) {
        Map<String, @Nullable Object> requests =
                members(questions).get("inputRequests") instanceof Map<?, ?> asked ? strings(asked) : Map.of();
        return new InputRound(number, requests, Map.of(), questions.requestState());
    }

    private static Map<String, @Nullable Object> strings(Map<?, ?> map) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }

    /** What is wrong with a tool's questions, or null. */
    @Nullable
    String fault(TaskSpec spec, InputRound round) {
        if (round.number() > TaskSettings.MAX_INPUT_ROUNDS) {
            return "The tool asked more than %d times, which MAX_INPUT_ROUNDS allows"
                    .formatted(TaskSettings.MAX_INPUT_ROUNDS);
        }
        if (round.requests().size() > TaskSettings.MAX_INPUT_REQUESTS) {
            return "The tool asked %d questions at once; MAX_INPUT_REQUESTS allows %d"
                    .formatted(round.requests().size(), TaskSettings.MAX_INPUT_REQUESTS);
        }
        for (Map.Entry<String, @Nullable Object> asked : round.requests().entrySet()) {
            if (!isDeclared(spec.clientCapabilities(), asked.getValue())) {
                return "The tool's question \"%s\" needs a capability that the client did not declare"
                        .formatted(asked.getKey());
            }
        }
        return null;
    }

    private static boolean isDeclared(Map<?, ?> capabilities, @Nullable Object question) {
        if (!(question instanceof Map<?, ?> request)) {
            return false;
        }
        return switch (String.valueOf(request.get("method"))) {
            case "elicitation/create" -> elicits(capabilities.get("elicitation"), request.get("params"));
            case "sampling/createMessage" -> capabilities.get("sampling") != null;
            case "roots/list" -> capabilities.get("roots") != null;
            default -> true;
        };
    }

    /** Whoever declares neither mode has forms. */
    private static boolean elicits(@Nullable Object declared, @Nullable Object params) {
        if (!(declared instanceof Map<?, ?> modes)) {
            return false;
        }
        boolean url = params instanceof Map<?, ?> map && "url".equals(map.get("mode"));
        return url ? modes.get("url") != null : modes.get("form") != null || modes.get("url") == null;
    }

    /**
     * Makes a change by which a task holds more bytes, or less.
     *
     * @throws McpException if there is no room for more; then nothing was done
     */
    void holding(TaskSpec spec, long more, Runnable change) {
        unfinished.resize(spec.owner(), Math.max(0, more));
        boolean done = false;
        try {
            change.run();
            done = true;
        } finally {
            unfinished.resize(spec.owner(), Math.min(0, done ? more : -more));
        }
    }

    void changed(LiveTask task) {
        changed.accept(task);
    }

    void ended(LiveTask task) {
        ended.accept(task);
    }

    /** Does something again after a moment, on a thread of its own. */
    void later(Runnable action) {
        new Pause(settings.pollInterval()).then(action);
    }
}
