package dev.holdfast.http.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One connection of a client, over either transport. Heartbeats are passed over. */
abstract class Line implements AutoCloseable {

    private final String id;
    private final Told told;

    Line(JsonNode welcome, Told told) {
        if (!welcome.get("type").stringValue().equals("welcome")) {
            throw new AssertionError("No welcome but " + welcome);
        }
        this.id = welcome.get("connection").stringValue();
        this.told = told;
    }

    final String id() {
        return id;
    }

    /** Sends a command and takes its reply. */
    abstract JsonNode exchange(ObjectNode command) throws IOException, InterruptedException;

    /** Takes the next message that is no reply. */
    abstract Optional<JsonNode> take() throws IOException, InterruptedException;

    /** Goes without a word. */
    abstract void vanish() throws IOException;

    /** Sends a command and returns its reply, also one with a problem. */
    final JsonNode command(ObjectNode command) throws IOException, InterruptedException {
        JsonNode reply = exchange(command);
        told.reply(reply);
        return reply;
    }

    /** The next message that is no reply, or empty at a clean end. A cut is an {@link IOException}. */
    final Optional<JsonNode> read() throws IOException, InterruptedException {
        Optional<JsonNode> message = take();
        message.ifPresent(told::message);
        return message;
    }

    final JsonNode next() throws IOException, InterruptedException {
        while (true) {
            JsonNode message = read().orElseThrow(() -> new AssertionError("The connection ended"));
            if (!type(message).equals("heartbeat")) {
                return message;
            }
        }
    }

    /** The next message of this type; those before it are passed over. */
    final JsonNode next(String type) throws IOException, InterruptedException {
        return until(message -> type(message).equals(type)).getLast();
    }

    /** All messages up to the first one that is wanted. */
    final List<JsonNode> until(Predicate<JsonNode> wanted) throws IOException, InterruptedException {
        List<JsonNode> messages = new ArrayList<>();
        do {
            messages.add(next());
        } while (!wanted.test(messages.getLast()));
        return messages;
    }

    /** Watches a session from a snapshot, and waits for it: what happens from now on comes as events. */
    final Applied watch(String session) throws IOException, InterruptedException {
        JsonNode unused = done(Wire.watching(session, null));
        Applied applied = new Applied(session);
        applied.frame(next("attached"));
        return applied;
    }

    /** Applies the frames of a session's events until one of this kind has come. */
    final void follow(Applied applied, String kind) throws IOException, InterruptedException {
        while (applied.last(kind).isEmpty()) {
            applied.frame(next());
        }
    }

    /** Sends a command that is expected to succeed, and returns its result. */
    final JsonNode done(ObjectNode command) throws IOException, InterruptedException {
        JsonNode reply = command(command);
        if (reply.get("status").intValue() >= 300) {
            throw new AssertionError(reply.toString());
        }
        return reply.get("result");
    }

    /** A message as it came, which must fit the schema. */
    static JsonNode checked(String message) {
        FrameSchema.check(message);
        return Wire.json(message);
    }

    static String type(JsonNode message) {
        return message.get("type").stringValue();
    }

    @Override
    public final void close() throws IOException {
        vanish();
    }
}
