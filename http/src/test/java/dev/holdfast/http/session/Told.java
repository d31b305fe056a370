package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.SessionCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/**
 * What clients were told in a test, to be held against the store when the server is gone, however it went (VISIBLE-IS-DURABLE): every event up to the cursors
 * they have, and every turn whose start was acknowledged. Safe for any thread.
 */
final class Told {

    private record Turn(String session, String id) {}

    private final Map<String, Long> events = new ConcurrentHashMap<>();
    private final Set<Turn> turns = ConcurrentHashMap.newKeySet();

    /** Takes a message that a client has got. */
    void message(JsonNode message) {
        if (!message.has("session")) {
            return;
        }
        String session = message.get("session").stringValue();
        if (message.has("cursor")) {
            long next = SessionCursor.parse(message.get("cursor").stringValue()).feedNext();
            events.merge(session, next, Math::max);
        } else if (message.has("reason") && message.get("reason").stringValue().equals("deleted")) {
            events.remove(session);
            turns.removeIf(turn -> turn.session().equals(session));
        }
    }

    /** Takes the result of a command. */
    void reply(JsonNode reply) {
        JsonNode result = reply.path("result");
        if (result.has("started")) {
            turns.add(new Turn(
                    result.get("session").stringValue(), result.get("turn").stringValue()));
        }
    }

    /** Opens the store once more, and looks whether all of it is there. */
    void check(Path store) throws IOException, InterruptedException {
        try (OrderedServer again = Where.IN_PROCESS.start(store, Plan.plain())) {
            ServerSide there = new ServerSide(again);
            for (Map.Entry<String, Long> told : events.entrySet()) {
                assertThat(there.events(told.getKey()))
                        .as("events of %s, whose clients had %d", told.getKey(), told.getValue())
                        .isGreaterThanOrEqualTo(told.getValue());
            }
            for (Turn turn : turns) {
                assertThat(there.turn(turn.session(), turn.id()))
                        .as("a turn that was acknowledged: %s", turn)
                        .isPresent();
            }
        }
    }
}
