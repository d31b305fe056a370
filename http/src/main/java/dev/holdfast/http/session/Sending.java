package dev.holdfast.http.session;

import dev.holdfast.access.Action;
import dev.holdfast.access.Principal;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.api.Fields;
import dev.holdfast.http.api.JsonViews;
import dev.holdfast.http.api.TurnBody;
import dev.holdfast.session.Session;
import dev.holdfast.session.Sessions;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Starts turns, each once: the receipt is the stored turn, so the same command again is answered from it, also after a crash (G12). Thread-safe.
 */
final class Sending {

    private static final int GENERATED_ID_BYTES = 16;

    private final Transport transport;

    Sending(Transport transport) {
        this.transport = transport;
    }

    ObjectNode send(Connection connection, ObjectNode body) {
        return receipt(start(connection, body, "queue"));
    }

    /** Starts the turn, and stops what ran before it. Sent again, it finds its turn, and only what is older is stopped. */
    ObjectNode interrupt(Connection connection, ObjectNode body) {
        TurnHandle handle = start(connection, body, "merge");
        String session = handle.status().sessionId();
        Turns turns = transport.access().turns(connection.principal());
        List<TurnStatus> live = turns.live(session);
        boolean waits = live.stream().anyMatch(turn -> turn.id().equals(handle.id()));
        live.stream()
                .takeWhile(turn -> !turn.id().equals(handle.id()))
                .filter(turn -> waits && turn.state() != TurnState.ACCEPTED)
                .forEach(turn -> {
                    StopResult unused = turns.stop(session, turn.id(), "interrupted by turn \"" + handle.id() + "\"");
                });
        return receipt(handle);
    }

    private TurnHandle start(Connection connection, ObjectNode body, String policy) {
        if (!(body.get("turn") instanceof ObjectNode given)) {
            throw HttpProblem.badRequest("\"turn\" is an object: the turn to start, with its \"message\".");
        }
        ObjectNode turn = given.deepCopy();
        if (Fields.text(turn, "policy").isEmpty()
                && Fields.any(turn, "regenerate").isEmpty()) {
            turn.put("policy", policy);
        }
        Optional<String> key = Fields.text(turn, "id").isPresent() ? Optional.empty() : messageId(turn);
        TurnRequest request = TurnBody.read(turn, key, transport.settings().defaultAgent());
        Session session = session(connection.principal(), body, request.id());
        TurnHandle handle = transport.access().turns(connection.principal()).start(session.id(), request);
        if (handle.started() || handle.status().state().isLive()) { // again, lest the first attempt ended in between
            SessionMarks.reopen(session);
            transport.connections().drive(new SessionKey(connection.principal().tenant(), session.id()), connection);
        }
        return handle;
    }

    /** The id of the turn's message, which is the key of a turn that has none of its own. */
    private static Optional<String> messageId(ObjectNode turn) {
        if (!(turn.get("message") instanceof ObjectNode message)) {
            return Optional.empty();
        }
        JsonNode content = message.get("content");
        return Fields.text(message, "id")
                .or(() -> content instanceof ObjectNode object ? Fields.text(object, "id") : Optional.empty());
    }

    private Session session(Principal principal, ObjectNode body, String key) {
        Optional<String> given = Fields.text(body, "session");
        Optional<JsonNode> create = Fields.any(body, "create");
        if (create.isPresent() && !create.get().isBoolean()) {
            throw HttpProblem.badRequest("\"create\" must be true or false.");
        }
        String id = given.map(named -> Fields.addressable("session id", named)).orElseGet(() -> idFor(principal, key));
        Sessions sessions = transport.access().sessionsFor(principal, Action.WRITE, id);
        boolean mayCreate =
                given.isEmpty() || create.filter(JsonNode::booleanValue).isPresent();
        return mayCreate
                ? sessions.find(id).orElseGet(() -> sessions.create(id)) // a read is cheaper than a commit
                : sessions.get(id);
    }

    /** The id of a session that is made for a turn: the same for the same one, so that a retry finds it. */
    private static String idFor(Principal principal, String key) {
        String text = principal.tenant() + "\0" + principal.name() + "\0" + key;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "s-" + HexFormat.of().formatHex(digest, 0, GENERATED_ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no SHA-256, which every Java must have", e);
        }
    }

    private static ObjectNode receipt(TurnHandle handle) {
        TurnStatus turn = handle.status();
        return Commands.object()
                .put("session", turn.sessionId())
                .put("turn", turn.id())
                .put("state", JsonViews.state(turn.state()))
                .put("messageId", turn.messageId())
                .put("started", handle.started());
    }
}
