package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import dev.holdfast.http.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a test does at the server, and sees there, wherever it lives: {@link Orders} by name. Safe for any thread. */
final class ServerSide {

    private static final Set<String> OUTCOMES = Set.of("COMPLETED", "STOPPED", "FAILED", "INTERRUPTED");

    private final OrderedServer server;

    ServerSide(OrderedServer server) {
        this.server = server;
    }

    private static ObjectNode order(String what) {
        return Json.MAPPER.createObjectNode().put("do", what);
    }

    private static ObjectNode order(String what, String session) {
        return order(what).put("session", session);
    }

    private Optional<JsonNode> run(ObjectNode order) throws IOException, InterruptedException {
        return Optional.ofNullable(server.order(order).get("value"));
    }

    private JsonNode ask(ObjectNode order) throws IOException, InterruptedException {
        return run(order).orElseThrow(() -> new AssertionError("Nothing was told of " + order));
    }

    int port() throws IOException, InterruptedException {
        return ask(order("port")).intValue();
    }

    /** Lets the agent that runs emit a piece of text. */
    void say(String word) throws IOException, InterruptedException {
        emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + word + "\"}");
    }

    /** Lets the agent that runs emit something. */
    void emit(String chunk) throws IOException, InterruptedException {
        run(order("emit").put("chunk", chunk));
    }

    /** Lets the agent that runs end. */
    void end() throws IOException, InterruptedException {
        run(order("end"));
    }

    /** Creates a session. */
    void create(String session) throws IOException, InterruptedException {
        run(order("create", session));
    }

    void delete(String session) throws IOException, InterruptedException {
        run(order("delete", session));
    }

    /** Appends a message of the user. */
    void append(String session, String message, String content) throws IOException, InterruptedException {
        run(order("append", session).put("message", message).put("content", content));
    }

    /** Appends so many messages at once. */
    void fill(String session, int messages) throws IOException, InterruptedException {
        run(order("fill", session).put("messages", messages));
    }

    /** Keeps something with a session. */
    void put(String session, String name, String text) throws IOException, InterruptedException {
        run(order("put", session).put("name", name).put("text", text));
    }

    Optional<String> property(String session, String name) throws IOException, InterruptedException {
        return run(order("property", session).put("name", name)).map(JsonNode::stringValue);
    }

    /** Starts a turn of which no client has asked. */
    void start(String session, String turn) throws IOException, InterruptedException {
        run(order("start", session).put("turn", turn));
    }

    /** Goes on with a turn that waits; one that was stopped meanwhile stays as it is. */
    void resume(String session, String turn) throws IOException, InterruptedException {
        run(order("resume", session).put("turn", turn));
    }

    /** Whether a session has this message. */
    boolean message(String session, String message) throws IOException, InterruptedException {
        return ask(order("message", session).put("message", message)).booleanValue();
    }

    /** The state of a turn, if there is one of this name. */
    Optional<String> turn(String session, String turn) throws IOException, InterruptedException {
        return run(order("turn", session).put("turn", turn)).map(JsonNode::stringValue);
    }

    void awaitState(String session, String turn, String state) {
        Patience.await().until(() -> turn(session, turn).orElseThrow().equals(state));
    }

    /** Waits until a turn has ended, and returns how. */
    String awaitOutcome(String session, String turn) {
        return Patience.await().until(() -> turn(session, turn).orElseThrow(), OUTCOMES::contains);
    }

    /** How many turns a session has, counted up to ten. */
    int turns(String session) throws IOException, InterruptedException {
        return ask(order("turns", session)).intValue();
    }

    /** How many sessions there are, counted up to ten. */
    int sessions() throws IOException, InterruptedException {
        return ask(order("sessions")).intValue();
    }

    /** The cursor behind all that happened in a session. */
    String cursor(String session) throws IOException, InterruptedException {
        return ask(order("cursor", session)).stringValue();
    }

    /** How many events a session ever had; -1 without that session. */
    long events(String session) throws IOException, InterruptedException {
        return run(order("events", session)).map(JsonNode::longValue).orElse(-1L);
    }

    /** How many connections are open. */
    int connections() throws IOException, InterruptedException {
        return ask(order("connections")).intValue();
    }

    /** How many sessions someone watches. */
    int watchedSessions() throws IOException, InterruptedException {
        return ask(order("watched")).intValue();
    }

    /** How many requests are being served. */
    int exchanges() throws IOException, InterruptedException {
        return ask(order("exchanges")).intValue();
    }

    /** Tells all clients to come back, as a process does that ends. */
    void drain(Duration patience) throws IOException, InterruptedException {
        run(order("drain").put("millis", patience.toMillis()));
    }

    /** Moves the clock of {@link Plan.Clock#TEST}. */
    void advance(Duration by) throws IOException, InterruptedException {
        run(order("advance").put("millis", by.toMillis()));
    }

    int waitingTimers() throws IOException, InterruptedException {
        return ask(order("timers")).intValue();
    }

    /** Lets nobody read this session any more. */
    void forbid(String session) throws IOException, InterruptedException {
        run(order("forbid", session));
    }
}
