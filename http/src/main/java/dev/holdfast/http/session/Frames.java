package dev.holdfast.http.session;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Json;
import dev.holdfast.http.Problem;
import dev.holdfast.http.api.JsonViews;
import dev.holdfast.http.session.Drivers.Standing;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.SessionSnapshot;
import dev.holdfast.store.TurnRow;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The messages that come down, apart from those of events. */
final class Frames {

    private static final byte[] HEARTBEAT = bytes(of("heartbeat"));

    private Frames() {}

    private static ObjectNode of(String type) {
        return Json.MAPPER.createObjectNode().put("type", type);
    }

    static byte[] bytes(ObjectNode frame) {
        return Json.MAPPER.writeValueAsBytes(frame);
    }

    static byte[] welcome(String connection, TransportSettings settings) {
        return bytes(of("welcome")
                .put("protocol", 1)
                .put("connection", connection)
                .put("heartbeatMillis", settings.events().heartbeat().toMillis())
                .put("retryMillis", settings.events().retry().toMillis())
                .put("rotateAfterMillis", settings.events().rotateAfter().toMillis()));
    }

    static byte[] heartbeat() {
        return HEARTBEAT;
    }

    static byte[] probe(String nonce) {
        return bytes(of("probe").put("nonce", nonce));
    }

    static byte[] rotate(String reason, long retryMillis) {
        return bytes(of("rotate").put("reason", reason).put("retryMillis", retryMillis));
    }

    static byte[] goodbye(String reason) {
        return bytes(of("goodbye").put("reason", reason));
    }

    static byte[] driver(String session, Standing standing, boolean displaced) {
        ObjectNode frame = of("driver").put("session", session).put("driver", name(standing));
        if (displaced) {
            frame.put("displaced", true);
        }
        return bytes(frame);
    }

    static byte[] detached(String session, String reason, @Nullable Problem problem) {
        ObjectNode frame = of("detached").put("session", session).put("reason", reason);
        if (problem != null) {
            frame.set("problem", Answers.node(problem));
        }
        return bytes(frame);
    }

    static ObjectNode reply(String id, int status) {
        return of("reply").put("id", id).put("status", status);
    }

    /** How a session stands at the attach, but for what the cursor is answered. */
    record Attached(
            Session session, SessionCursor cursor, List<LiveTurn> live, Standing standing, Optional<JsonNode> boot) {}

    /**
     * @param why why there is a snapshot, or null if there is none
     */
    static byte[] attached(Attached at, @Nullable String why, @Nullable SessionSnapshot snapshot) {
        ObjectNode frame =
                of("attached").put("session", at.session().id()).put("answer", why == null ? "ok" : "snapshot");
        if (why != null) {
            frame.put("why", why);
        }
        frame.put("cursor", at.cursor().token());
        if (snapshot != null) {
            ObjectNode recent = frame.putObject("snapshot");
            recent.set("messages", JsonViews.messages(snapshot.recent().messages()));
            recent.put("truncated", snapshot.recent().truncated());
        }
        ArrayNode turns = frame.putArray("turns");
        at.live().forEach(turn -> turns.add(turn(at.session(), turn)));
        frame.put("driver", name(at.standing()));
        frame.put("mode", SessionMarks.mode(at.session()).orElse(null));
        frame.put("closed", SessionMarks.closed(at.session()).isPresent());
        at.boot().ifPresent(boot -> frame.set("boot", boot));
        return bytes(frame);
    }

    private static ObjectNode turn(Session session, LiveTurn turn) {
        ObjectNode node = Json.MAPPER
                .createObjectNode()
                .put("id", turn.turnId())
                .put("state", turn.state().name().toLowerCase(Locale.ROOT))
                .put("messageId", turn.messageId());
        node.set(
                "pending",
                turn.state() == TurnRow.State.AWAITING
                        ? pending(session.message(turn.messageId(), TransportLimits.MAX_INLINE_MESSAGE_BYTES))
                        : Json.MAPPER.createArrayNode());
        return node;
    }

    static ArrayNode pending(Optional<Message> message) {
        return message.map(waiting -> PendingCalls.of(waiting.content())).orElseGet(Json.MAPPER::createArrayNode);
    }

    private static String name(Standing standing) {
        return standing.name().toLowerCase(Locale.ROOT);
    }
}
