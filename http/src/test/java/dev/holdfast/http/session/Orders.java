package dev.holdfast.http.session;

import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.http.Json;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a test does at a server besides what clients can ask for, and what it sees there: JSON in, JSON out. Both kinds of server take the same orders, those
 * in another process through a pipe, so nothing that is passed can be shared.
 */
final class Orders {

    private final TransportServer on;

    Orders(TransportServer on) {
        this.on = on;
    }

    /** Does what is ordered, and returns what there is to tell under {@code value}. */
    ObjectNode run(JsonNode order) throws ExecutionException, InterruptedException {
        ObjectNode reply = Json.MAPPER.createObjectNode();
        switch (order.get("do").stringValue()) {
            case "port" -> reply.put("value", on.server.port());
            case "emit" -> on.agent.emit(text(order, "chunk"));
            case "end" -> on.agent.end();
            case "create" -> on.holdfast.sessions().create(text(order, "session"));
            case "delete" -> reply.put("value", on.holdfast.sessions().delete(text(order, "session")));
            case "append" -> append(session(order), text(order, "message"), text(order, "content"));
            case "fill" -> fill(session(order), order.get("messages").intValue());
            case "put" -> session(order).properties().put(text(order, "name"), text(order, "text"));
            case "property" ->
                session(order)
                        .properties()
                        .get(text(order, "name"))
                        .ifPresent(property -> reply.put("value", property.text()));
            case "start" ->
                on.holdfast.turns().start(text(order, "session"), TurnRequest.of(text(order, "turn"), "default"));
            case "resume" -> resume(text(order, "session"), text(order, "turn"));
            case "turn" ->
                on.holdfast
                        .turns()
                        .status(text(order, "session"), text(order, "turn"))
                        .ifPresent(turn -> reply.put("value", turn.state().name()));
            case "turns" ->
                reply.put(
                        "value",
                        on.holdfast.turns().latest(text(order, "session"), 10).size());
            case "sessions" ->
                reply.put("value", on.holdfast.sessions().list(10).size());
            case "cursor" ->
                reply.put("value", session(order).feed().snapshot(0).cursor().token());
            case "events" ->
                on.holdfast
                        .sessions()
                        .find(text(order, "session"))
                        .ifPresent(session -> reply.put("value", session.feed().next()));
            case "message" ->
                reply.put(
                        "value", session(order).message(text(order, "message")).isPresent());
            case "connections" -> reply.put("value", on.transport.connections());
            case "watched" -> reply.put("value", on.transport.watchedSessions());
            case "exchanges" -> reply.put("value", on.server.door().open().count());
            case "drain" ->
                on.transport.drain(Duration.ofMillis(order.get("millis").longValue()));
            case "advance" ->
                on.time.advance(Duration.ofMillis(order.get("millis").longValue()));
            case "timers" -> reply.put("value", on.time.waitingTimers());
            case "forbid" -> on.forbidden.add(text(order, "session"));
            default -> throw new IllegalArgumentException("No such order: " + order);
        }
        return reply;
    }

    private static String text(JsonNode order, String field) {
        return order.get(field).stringValue();
    }

    private Session session(JsonNode order) {
        return on.holdfast.sessions().get(text(order, "session"));
    }

    private void resume(String session, String turn) {
        try {
            Object unused = on.holdfast.turns().resume(session, turn, null);
        } catch (TurnConflict e) {
            // it was stopped meanwhile
        }
    }

    private static void append(Session session, String id, String content) {
        session.append(MessageDraft.of(id, "user", content));
    }

    /** By many threads, which share commits. */
    private static void fill(Session session, int messages) throws ExecutionException, InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> appends = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                String id = "m" + i;
                appends.add(threads.submit(() -> append(session, id, "{}")));
            }
            for (Future<?> append : appends) {
                append.get();
            }
        }
    }
}
