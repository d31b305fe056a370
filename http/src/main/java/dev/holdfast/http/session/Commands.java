package dev.holdfast.http.session;

import dev.holdfast.access.Action;
import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.Answers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.Problem;
import dev.holdfast.http.ProblemTable;
import dev.holdfast.http.api.AnswerBody;
import dev.holdfast.http.api.Fields;
import dev.holdfast.http.api.JsonViews;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.Sessions;
import dev.holdfast.turn.AnswerResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What clients ask for, the same over both transports. Each command is checked against its principal's rights, done, and answered; one that is
 * malformed is refused in words and changes nothing. Thread-safe.
 */
final class Commands {

    private final Transport transport;
    private final Sending sending;
    private final Map<String, Known> known = new LinkedHashMap<>();

    /** What a command does. */
    @FunctionalInterface
    private interface Doing {
        ObjectNode run(Connection connection, ObjectNode body);
    }

    private record Known(Set<String> fields, int status, Doing doing) {}

    Commands(Transport transport) {
        this.transport = transport;
        this.sending = new Sending(transport);
        add("reconnect", Set.of("sessions"), this::reconnect);
        add("watch", Set.of("session", "cursor"), this::watch);
        add("unwatch", Set.of("session"), this::unwatch);
        add("switch", Set.of("session", "cursor"), this::bringForward);
        Set<String> turn = Set.of("session", "create", "turn");
        known.put("send", new Known(turn, 202, sending::send));
        known.put("interrupt", new Known(turn, 202, sending::interrupt));
        add("stop", Set.of("session", "turn", "reason"), this::stop);
        add("answer", Set.of("session", "turn", "answer"), this::answer);
        add("mode", Set.of("session", "mode"), this::mode);
        add("suspend", Set.of(), (connection, body) -> {
            connection.suspend();
            return object();
        });
        add("resume", Set.of(), (connection, body) -> {
            connection.resume();
            return object();
        });
        add("close", Set.of("session", "reason"), this::close);
        add("probe", Set.of("nonce"), this::probe);
        add("bye", Set.of(), (connection, body) -> {
            connection.bye();
            return object();
        });
    }

    private void add(String type, Set<String> fields, Doing doing) {
        known.put(type, new Known(fields, 200, doing));
    }

    /** The commands there are, with the fields of each besides its type and id. */
    Map<String, Set<String>> fields() {
        Map<String, Set<String>> fields = new LinkedHashMap<>();
        known.forEach((type, command) -> fields.put(type, command.fields()));
        return fields;
    }

    /**
     * Does a command.
     *
     * @return its reply
     * @throws HttpProblem if it is malformed
     * @throws HoldfastException if it is refused
     */
    ObjectNode run(Connection connection, ObjectNode body) {
        String id = id(body);
        String type = Fields.text(body, "type").orElse("");
        Known command = known.get(type);
        if (command == null) {
            throw HttpProblem.badRequest("There is no command \"%s\". A command's \"type\" is one of %s."
                    .formatted(shortened(type), String.join(", ", known.keySet())));
        }
        ObjectNode own = body.deepCopy();
        own.remove(List.of("id", "type"));
        Fields.only(own, command.fields());
        ObjectNode reply = Frames.reply(id, command.status());
        reply.set("result", command.doing().run(connection, own));
        return reply;
    }

    private static String id(ObjectNode body) {
        return text(body, "id", TransportLimits.MAX_COMMAND_ID_CHARS)
                .orElseThrow(() -> HttpProblem.badRequest(
                        "A command has an \"id\", chosen by its client, which its reply repeats."));
    }

    /** The reply to a command that failed, for a transport where it travels down. */
    static ObjectNode failed(String id, Problem problem) {
        ObjectNode reply = Frames.reply(id, problem.status());
        reply.set("problem", Answers.node(problem));
        return reply;
    }

    static HttpProblem unknownConnection() {
        return new HttpProblem(Problem.of(
                404,
                "connection-not-found",
                "There is no such connection",
                "The connection is closed, or was never open. Open a new one, and reconnect with your cursors."));
    }

    // Watching.

    private ObjectNode reconnect(Connection connection, ObjectNode body) {
        if (!(body.get("sessions") instanceof ArrayNode sessions) || sessions.size() > TransportLimits.MAX_WATCHED) {
            throw HttpProblem.badRequest(
                    "\"sessions\" is a list of at most %d objects with a \"session\" and a \"cursor\"."
                            .formatted(TransportLimits.MAX_WATCHED));
        }
        Map<String, ObjectNode> wanted = new LinkedHashMap<>(); // all of them, before the first is watched
        for (JsonNode each : sessions) {
            if (!(each instanceof ObjectNode one)) {
                throw HttpProblem.badRequest("Each of \"sessions\" is an object with a \"session\" and a \"cursor\".");
            }
            Fields.only(one, Set.of("session", "cursor"));
            Optional<String> unused = Fields.text(one, "cursor");
            wanted.put(session(one), one);
        }
        ObjectNode result = object();
        ArrayNode answers = result.putArray("sessions");
        wanted.forEach((session, one) -> answers.add(reconnectOne(connection, session, one)));
        return result;
    }

    /** One session that cannot be watched does not fail the others. */
    private ObjectNode reconnectOne(Connection connection, String id, ObjectNode wanted) {
        ObjectNode answer = object().put("session", id);
        Problem problem;
        try {
            SessionCursor from = cursor(wanted);
            Session session = transport.access().session(connection.principal(), Action.READ, id);
            if (mayDrive(connection.principal(), id)
                    && SessionMarks.closed(session).isEmpty()) {
                transport
                        .connections()
                        .driveAgain(new SessionKey(connection.principal().tenant(), id), connection);
            }
            connection.watch(id, from); // behind it, so that the answer says who drives
            return answer.put("attached", true);
        } catch (HoldfastException e) {
            problem = ProblemTable.of(e);
        }
        answer.put("attached", false);
        answer.set("problem", Answers.node(problem));
        return answer;
    }

    private boolean mayDrive(Principal principal, String session) {
        try {
            Sessions unused = transport.access().sessionsFor(principal, Action.WRITE, session);
            return true;
        } catch (NotAuthorized e) {
            return false;
        }
    }

    private ObjectNode watch(Connection connection, ObjectNode body) {
        String id = session(body);
        Session unused = transport.access().session(connection.principal(), Action.READ, id);
        connection.watch(id, cursor(body));
        return object().put("attached", true);
    }

    private ObjectNode unwatch(Connection connection, ObjectNode body) {
        connection.unwatch(session(body));
        return object().put("watched", false);
    }

    private ObjectNode bringForward(Connection connection, ObjectNode body) {
        String id = Fields.text(body, "session").orElse(null);
        if (id != null) {
            Session unused = transport.access().session(connection.principal(), Action.READ, id);
        }
        connection.bringForward(id, cursor(body));
        return object().put("session", id);
    }

    private static @Nullable SessionCursor cursor(ObjectNode body) {
        return Fields.text(body, "cursor").map(SessionCursor::parse).orElse(null);
    }

    // What happens to turns and sessions.

    private ObjectNode stop(Connection connection, ObjectNode body) {
        Session session = transport.access().session(connection.principal(), Action.WRITE, session(body));
        Turns turns = transport.access().turns(connection.principal());
        String reason = reason(body).orElse(null);
        Optional<String> turn =
                Fields.text(body, "turn").or(() -> running(turns, session.id()).map(TurnStatus::id));
        ObjectNode result = object();
        if (turn.isEmpty()) {
            return result.put("accepted", false).putNull("turn").putNull("state");
        }
        StopResult stopped = turns.stop(session.id(), turn.get(), reason);
        return result.put("accepted", stopped.accepted())
                .put("turn", turn.get())
                .put("state", JsonViews.state(stopped.state()));
    }

    /** The turn that has an agent, or waits for someone. */
    private static Optional<TurnStatus> running(Turns turns, String session) {
        return turns.live(session).stream()
                .filter(turn -> turn.state() != TurnState.ACCEPTED)
                .findFirst();
    }

    private ObjectNode answer(Connection connection, ObjectNode body) {
        Session session = transport.access().session(connection.principal(), Action.WRITE, session(body));
        String turn = Fields.text(body, "turn")
                .orElseThrow(() -> HttpProblem.badRequest("An answer names the \"turn\" that waits for it."));
        if (!(body.get("answer") instanceof ObjectNode answer)) {
            throw HttpProblem.badRequest(
                    "\"answer\" is an object with a \"toolCallId\" and an \"output\", an \"error\" or \"approved\".");
        }
        AnswerResult result =
                transport.access().turns(connection.principal()).answer(session.id(), turn, AnswerBody.read(answer));
        return object().put("effect", result.effect().name().toLowerCase(Locale.ROOT))
                .put("turn", result.turn().id())
                .put("state", JsonViews.state(result.turn().state()));
    }

    private ObjectNode mode(Connection connection, ObjectNode body) {
        Session session = transport.access().session(connection.principal(), Action.WRITE, session(body));
        String mode = text(body, "mode", TransportLimits.MAX_MODE_CHARS)
                .orElseThrow(() -> HttpProblem.badRequest(
                        "\"mode\" is a text of 1 to %d characters.".formatted(TransportLimits.MAX_MODE_CHARS)));
        SessionMarks.setMode(session, mode);
        return object().put("mode", mode);
    }

    private ObjectNode close(Connection connection, ObjectNode body) {
        Session session = transport.access().session(connection.principal(), Action.WRITE, session(body));
        SessionKey key = new SessionKey(connection.principal().tenant(), session.id());
        String reason = reason(body).orElse("");
        if (!transport.connections().closeSeat(key, connection)) {
            return object().put("accepted", false)
                    .put("reason", "This device does not drive the session: only the one that sent last may close it.");
        }
        SessionMarks.close(session, reason);
        Turns turns = transport.access().turns(connection.principal());
        int unused = turns.clearQueue(session.id(), reason.isEmpty() ? null : reason);
        running(turns, session.id()).ifPresent(turn -> {
            StopResult unusedStop = turns.stop(session.id(), turn.id(), reason.isEmpty() ? null : reason);
        });
        return object().put("accepted", true).putNull("reason");
    }

    private ObjectNode probe(Connection connection, ObjectNode body) {
        connection.probe(text(body, "nonce", TransportLimits.MAX_NONCE_CHARS)
                .orElseThrow(() -> HttpProblem.badRequest(
                        "\"nonce\" is a text of 1 to %d characters.".formatted(TransportLimits.MAX_NONCE_CHARS))));
        return object();
    }

    // Fields.

    private static Optional<String> reason(ObjectNode body) {
        return text(body, "reason", TransportLimits.MAX_REASON_CHARS);
    }

    static String session(ObjectNode body) {
        return Fields.text(body, "session")
                .orElseThrow(() -> HttpProblem.badRequest("\"session\" is missing: the id of a session."));
    }

    private static Optional<String> text(ObjectNode body, String name, int most) {
        Optional<String> text = Fields.text(body, name).filter(given -> !given.isEmpty());
        if (text.isPresent() && text.get().length() > most) {
            throw HttpProblem.badRequest("\"%s\" has at most %d characters.".formatted(name, most));
        }
        return text;
    }

    private static String shortened(String text) {
        return text.length() > 100 ? text.substring(0, 100) : text;
    }

    static ObjectNode object() {
        return Json.MAPPER.createObjectNode();
    }
}
