package dev.holdfast.mcp.tasks;

import dev.holdfast.access.Principal;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.PlainJson;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.McpException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The tasks of other nodes of a cluster. A task is in memory on the node that runs it; what is asked of it elsewhere is asked there, and checked
 * there as if it had come there. Thread-safe.
 */
final class OtherNodes implements AutoCloseable {

    private static final String TOPIC = "mcp/tasks";

    private final Peers peers;
    private volatile boolean closed;
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();

    /**
     * What is asked of a task.
     *
     * @param method of the wire
     * @param principal who asks
     * @param id the task's
     * @param responses answers to its questions, for the method that has them
     */
    record Asked(String method, Principal principal, String id, Map<?, ?> responses) {}

    OtherNodes(Peers peers) {
        this.peers = peers;
    }

    Peers peers() {
        return peers;
    }

    /**
     * Answers the questions of other nodes.
     *
     * @param here does on this node what is asked; an {@link McpException} is its answer, too
     */
    void serve(Function<Asked, Map<String, @Nullable Object>> here) {
        endsWith(peers.answer(TOPIC, question -> answer(here, question)));
    }

    /** Runs something when this is closed. */
    void endsWith(Runnable ending) {
        endings.add(ending);
    }

    /** Whether a task may be in memory on this node of another one, and not on this. */
    boolean isElsewhere(long runner) {
        return peers.isCluster() && runner != peers.self() && peers.isAlive(runner);
    }

    /**
     * Has another node do what is asked.
     *
     * @return the members of its result, or empty if the node is gone
     * @throws McpException as that node's answer
     */
    Optional<Map<String, @Nullable Object>> ask(long runner, Asked asked) {
        Map<String, @Nullable Object> question = new LinkedHashMap<>();
        question.put("method", asked.method());
        question.put("tenant", asked.principal().tenant());
        question.put("principal", asked.principal().name());
        question.put("id", asked.id());
        question.put("responses", asked.responses());
        return peers.ask(runner, TOPIC, Json.MAPPER.writeValueAsBytes(question)).map(OtherNodes::resultOrError);
    }

    private static Map<String, @Nullable Object> resultOrError(byte[] answer) {
        JsonNode said = Json.MAPPER.readTree(answer);
        JsonNode error = said.path("error");
        if (error.isObject()) {
            throw new McpException(new JSONRPCError(
                    error.path("code").intValue(),
                    error.path("message").asString(""),
                    PlainJson.of(error.path("data"))));
        }
        return PlainJson.map(said.path("result"));
    }

    private static byte[] answer(Function<Asked, Map<String, @Nullable Object>> here, byte[] question) {
        JsonNode asked = Json.MAPPER.readTree(question);
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        try {
            answer.put(
                    "result",
                    here.apply(new Asked(
                            asked.path("method").asString(""),
                            new Principal(
                                    asked.path("tenant").asString(""),
                                    asked.path("principal").asString("")),
                            asked.path("id").asString(""),
                            PlainJson.map(asked.path("responses")))));
        } catch (McpException e) {
            Map<String, @Nullable Object> error = new LinkedHashMap<>();
            error.put("code", e.error().code());
            error.put("message", e.error().message());
            error.put("data", e.error().data());
            answer.put("error", error);
        } catch (HoldfastException e) {
            throw e; // which the one who asked knows how to take
        }
        return Json.MAPPER.writeValueAsBytes(answer);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        endings.forEach(Runnable::run);
    }
}
