package dev.holdfast.server.remote;

import dev.holdfast.client.message.LiveTurn;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import dev.holdfast.client.message.StoredMessage;
import dev.holdfast.client.message.TurnState;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A session as people read it: each message with its role, the text of a turn as it comes, and how turns ended. Where a message differs from what was shown of
 * it, as when its turn was begun anew or some of it was missed, it is shown again. Owned by one thread at a time.
 */
final class TextOutput implements Output {

    private final PrintWriter out;
    private final Predicate<String> turns;
    private final boolean messages;

    /** What was shown of each turn that has not ended. */
    private final Map<String, StringBuilder> shown = new HashMap<>();

    /** The turn in whose text the line is that is being written; null at the begin of a line. */
    private @Nullable String writing;

    private TextOutput(PrintWriter out, Predicate<String> turns, boolean messages) {
        this.out = out;
        this.turns = turns;
        this.messages = messages;
    }

    /** All of the session. */
    static TextOutput all(PrintWriter out) {
        return new TextOutput(out, turn -> true, true);
    }

    /** The text of one turn, and nothing else. */
    static TextOutput only(PrintWriter out, String turn) {
        return new TextOutput(out, turn::equals, false);
    }

    @Override
    public void attached(Attached attached) {
        if (attached.snapshot() != null) {
            endLine();
            if (messages) {
                if (attached.snapshot().truncated()) {
                    out.println("[earlier messages are left out]");
                }
                attached.snapshot().messages().stream()
                        .filter(message -> !isLive(message, attached.turns()))
                        .forEach(this::message);
            }
        }
        out.flush();
    }

    /** Its chunks come. */
    private static boolean isLive(StoredMessage message, List<LiveTurn> turns) {
        return turns.stream()
                .anyMatch(turn ->
                        turn.state() == TurnState.STREAMING && turn.messageId().equals(message.id()));
    }

    @Override
    public void events(String session, List<SessionEvent> events, String cursor) {
        events.forEach(this::event);
        out.flush();
    }

    private void event(SessionEvent event) {
        switch (event) {
            case SessionEvent.Chunk chunk when turns.test(chunk.turn()) -> chunk(chunk);
            case SessionEvent.StreamOpened opened when turns.test(opened.turn()) -> begin(opened.turn());
            case SessionEvent.MessageAdded added -> written(added.turn(), added.message(), added.messageId());
            case SessionEvent.MessageUpdated updated -> written(updated.turn(), updated.message(), updated.messageId());
            case SessionEvent.TurnAwaiting waiting
            when turns.test(waiting.turn()) ->
                remark("turn %s waits%s".formatted(waiting.turn(), because(waiting.reason())));
            case SessionEvent.TurnRecovering again
            when turns.test(again.turn()) ->
                remark("turn %s is recovered%s".formatted(again.turn(), because(again.reason())));
            case SessionEvent.TurnEnded ended
            when turns.test(ended.turn()) -> {
                shown.remove(ended.turn());
                remark("turn %s %s%s".formatted(ended.turn(), Line.lower(ended.outcome()), because(ended.reason())));
            }
            case SessionEvent.SessionClosed closed -> remark("session closed" + because(closed.reason()));
            case SessionEvent.SessionReopened reopened -> remark("session reopened");
            default -> {}
        }
    }

    private static String because(@Nullable String reason) {
        return reason == null || reason.isEmpty() ? "" : ": " + reason;
    }

    private void begin(String turn) {
        StringBuilder before = shown.remove(turn);
        if (before != null && !before.isEmpty()) {
            remark("turn %s begins anew".formatted(turn));
        }
    }

    private void chunk(SessionEvent.Chunk chunk) {
        JsonNode data = chunk.data();
        if (data.path("type").asString("").equals("text-delta")) {
            text(chunk.turn(), data.path("delta").asString(""));
        }
    }

    private void text(String turn, String text) {
        if (!turn.equals(writing)) {
            endLine();
            if (messages) {
                out.print("assistant: ");
            }
            writing = turn;
        }
        out.print(text);
        shown.computeIfAbsent(turn, key -> new StringBuilder()).append(text);
    }

    private void written(@Nullable String turn, @Nullable StoredMessage message, String id) {
        if (turn != null && !turns.test(turn)) {
            return;
        }
        if (message == null) {
            remark("message %s is too large to be shown here".formatted(id));
        } else if (turn == null || message.role().equals("user")) {
            if (messages) {
                message(message);
            }
        } else {
            StringBuilder before = shown.getOrDefault(turn, new StringBuilder());
            String whole = text(message);
            if (whole.startsWith(before.toString())) {
                String rest = whole.substring(before.length());
                if (!rest.isEmpty()) {
                    text(turn, rest);
                }
            } else {
                endLine();
                message(message);
                before.setLength(0);
                shown.put(turn, new StringBuilder(whole));
            }
        }
    }

    private void message(StoredMessage message) {
        endLine();
        out.println((messages ? message.role() + ": " : "") + text(message));
    }

    private static String text(StoredMessage message) {
        JsonNode parts = message.content().path("parts");
        if (!parts.isArray()) {
            return message.content().isString()
                    ? message.content().stringValue()
                    : message.content().toString();
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : parts) {
            if (part.path("type").asString("").equals("text")) {
                text.append(part.path("text").asString(""));
            }
        }
        return text.toString();
    }

    private void remark(String remark) {
        endLine();
        if (messages) {
            out.println("[" + remark + "]");
        }
    }

    /** Ends the line that is being written, if one is. */
    private void endLine() {
        if (writing != null) {
            out.println();
            writing = null;
        }
    }
}
