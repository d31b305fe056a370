package dev.holdfast.mcp.streamable;

import dev.holdfast.cluster.NodeMark;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpProblem;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The same transport on the other nodes of a cluster. A session is in memory wherever it was used, a call runs on the node to which it was
 * posted, and any node may be asked for anything. What is stored needs nobody to be told; told, or asked, are the others of what is in memory: whose call
 * waits for an answer or is cancelled, which connection is superseded, which session changed. Thread-safe.
 */
final class OtherNodes implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OtherNodes.class);

    private static final String TOPIC = "mcp/streamable/";
    private static final byte[] DONE = new byte[0];
    private static final String ASK = "ask";
    private static final String SESSION = "session";
    private static final String STREAM = "stream";
    private static final String MESSAGE = "message";
    private static final String RETRY = "retryMillis";
    private static final String ID = "id";

    private enum What {
        /** A client's answer to a question of the server, which one of the node's tools waits for. */
        ANSWER,
        /** How many running calls have a request of this id. */
        WAITING,
        /** Such a request is cancelled, durably. */
        CANCEL,
        /** A connection to a stream is replaced by one on another node. */
        SUPERSEDE,
        /** A tool ends the connection of its client, which is on another node. */
        END_CONNECTION,
        /** What is stored of a session is different now. */
        CHANGED,
        /** A session was deleted. */
        DELETED
    }

    private final Peers peers;
    private final String topic;
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();

    OtherNodes(Peers peers, String tenant) {
        this.peers = peers;
        this.topic = TOPIC + tenant;
    }

    /** From now on other nodes are answered. */
    void serve(Services services, SessionTable sessions) {
        endsWith(peers.answer(topic, question -> answer(services, sessions, question)));
    }

    /** Runs something when this is closed. */
    void endsWith(Runnable ending) {
        endings.add(ending);
    }

    boolean isCluster() {
        return peers.isCluster();
    }

    Peers peers() {
        return peers;
    }

    /** An id for something that lives on this node. */
    String mark(String rest) {
        return NodeMark.mark(peers.self(), rest);
    }

    /** A question of the server to a client, whose id tells on which node its answer is waited for. */
    McpSchema.JSONRPCMessage marked(McpSchema.JSONRPCMessage message) {
        return isCluster() && message instanceof McpSchema.JSONRPCRequest request
                ? new McpSchema.JSONRPCRequest(
                        request.jsonrpc(), request.method(), mark(String.valueOf(request.id())), request.params())
                : message;
    }

    /** Hands a client's answer to whoever waits for it, on whatever node. One for which nobody waits is dropped. */
    void answered(LiveSession session, McpSchema.JSONRPCResponse response, Services services) {
        if (!isCluster() || !(response.id() instanceof String id)) {
            accept(session, response);
            return;
        }
        long node = NodeMark.nodeOf(id);
        if (node == peers.self()) {
            accept(session, unmarked(response, id));
            return;
        }
        ObjectNode question = question(What.ANSWER, session.id());
        question.set(MESSAGE, json(response, services));
        try {
            if (peers.ask(node, topic, Json.MAPPER.writeValueAsBytes(question)).isEmpty()) {
                LOG.debug("Nobody waits for a client's answer: its node is gone");
            }
        } catch (HoldfastException e) {
            LOG.warn("A client's answer did not reach node {}, or may not have: {}", node, e.getMessage());
        }
    }

    private static JsonNode json(McpSchema.JSONRPCMessage message, Services services) {
        try {
            return Json.MAPPER.readTree(services.mapper().writeValueAsBytes(message));
        } catch (IOException e) {
            throw new IllegalStateException("A message that was read cannot be written", e);
        }
    }

    private static McpSchema.JSONRPCResponse unmarked(McpSchema.JSONRPCResponse response, String id) {
        return new McpSchema.JSONRPCResponse(
                response.jsonrpc(), NodeMark.restOf(id), response.result(), response.error());
    }

    private static void accept(LiveSession session, McpSchema.JSONRPCResponse response) {
        session.sdk() // the tool may go on with it on this thread
                .accept(response)
                .subscribe(
                        done -> {}, error -> LOG.debug("Nobody waits for a client's answer: {}", error.getMessage()));
    }

    /**
     * Cancels the request of this id, if exactly one that runs has it, on whatever node.
     *
     * @return completes when it is durable
     */
    CompletableFuture<Void> cancel(LiveSession session, Object id) {
        if (!isCluster()) {
            return session.calls().cancel(id);
        }
        int here = session.calls().waiting(id);
        int all = here;
        List<Long> where = new ArrayList<>();
        for (long node : peers.othersNow()) {
            ObjectNode question = question(What.WAITING, session.id());
            question.set(ID, Json.MAPPER.valueToTree(id));
            int there = ask(node, question).map(OtherNodes::number).orElse(0);
            all += there;
            if (there > 0) {
                where.add(node);
            }
        }
        if (all > 1) {
            LOG.warn("{} requests with the id {} run; the cancellation names all of them and cancels none", all, id);
            return CompletableFuture.completedFuture(null);
        }
        if (where.isEmpty()) {
            return session.calls().cancel(id);
        }
        ObjectNode question = question(What.CANCEL, session.id());
        question.set(ID, Json.MAPPER.valueToTree(id));
        Optional<byte[]> unused = peers.ask(where.getFirst(), topic, Json.MAPPER.writeValueAsBytes(question));
        return CompletableFuture.completedFuture(null);
    }

    private static int number(byte[] answer) {
        return answer.length == 0 ? 0 : Json.MAPPER.readTree(answer).asInt();
    }

    private Optional<byte[]> ask(long node, ObjectNode question) {
        try {
            return peers.ask(node, topic, Json.MAPPER.writeValueAsBytes(question));
        } catch (HoldfastException e) {
            LOG.warn("Node {} was not told of a session: {}", node, e.getMessage());
            return Optional.empty();
        }
    }

    /** Another connection reads the stream from now on: those on other nodes end. */
    void superseded(String session, String stream) {
        tell(question(What.SUPERSEDE, session).put(STREAM, stream));
    }

    /** A tool wants the connection of its client to end, wherever it is. */
    void endConnection(String session, String stream, Duration retry) {
        tell(question(What.END_CONNECTION, session).put(STREAM, stream).put(RETRY, retry.toMillis()));
    }

    /** What is stored of the session is different now. */
    void changed(String session) {
        tell(question(What.CHANGED, session));
    }

    void deleted(String session) {
        tell(question(What.DELETED, session));
    }

    private static ObjectNode question(What what, String session) {
        return Json.MAPPER.createObjectNode().put(ASK, what.name()).put(SESSION, session);
    }

    /** Tells all others, and waits for none of them. */
    private void tell(ObjectNode question) {
        if (isCluster()) {
            Thread unused = Services.apart(
                    "tell",
                    () -> peers.othersNow().forEach(node -> {
                        Thread unusedToo = Services.apart("tell", () -> ask(node, question));
                    }));
        }
    }

    private byte[] answer(Services services, SessionTable sessions, byte[] question) {
        JsonNode asked = Json.MAPPER.readTree(question);
        String session = asked.path(SESSION).asString("");
        What what = What.valueOf(asked.path(ASK).asString(""));
        if (what == What.CHANGED) {
            sessions.changedElsewhere(session);
            return DONE;
        }
        if (what == What.DELETED) {
            sessions.deletedElsewhere(session);
            return DONE;
        }
        Optional<LiveSession> resident = sessions.resident(session);
        if (resident.isEmpty()) {
            return DONE;
        }
        LiveSession live = resident.get();
        try {
            return answer(services, live, what, asked);
        } finally {
            live.leave();
        }
    }

    private byte[] answer(Services services, LiveSession live, What what, JsonNode asked) {
        String stream = asked.path(STREAM).asString("");
        switch (what) {
            case ANSWER -> {
                McpSchema.JSONRPCResponse response = response(services, asked.path(MESSAGE));
                Thread unused =
                        Services.apart("answer", () -> accept(live, unmarked(response, String.valueOf(response.id()))));
            }
            case WAITING -> {
                return Json.MAPPER.writeValueAsBytes(live.calls().waiting(id(asked)));
            }
            case CANCEL -> Starting.awaitStored(live.calls().cancel(id(asked)));
            case SUPERSEDE -> live.connections().supersede(stream);
            case END_CONNECTION ->
                live.connections()
                        .close(stream, Duration.ofMillis(asked.path(RETRY).asLong()));
            case CHANGED, DELETED -> throw new IllegalStateException("These need no session in memory");
        }
        return DONE;
    }

    private static Object id(JsonNode asked) {
        JsonNode id = asked.path(ID);
        return id.isString() ? id.asString() : (Object) id.asLong();
    }

    private static McpSchema.JSONRPCResponse response(Services services, JsonNode message) {
        try {
            return (McpSchema.JSONRPCResponse)
                    McpSchema.deserializeJsonRpcMessage(services.mapper(), Json.MAPPER.writeValueAsString(message));
        } catch (IOException e) {
            throw McpProblem.of(400, McpProblem.INVALID_REQUEST, "This is no answer: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        endings.forEach(Runnable::run);
    }
}
