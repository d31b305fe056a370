package dev.holdfast.verification.chat;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiMessage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent that does what the user's message names; where it waits, the test lets it go on. */
final class SceneAgent implements Agent {

    private static final long HISTORY_BYTES = 1 << 20;

    private final Semaphore mayGoOn = new Semaphore(0);
    private final AtomicInteger answers = new AtomicInteger();

    void release() {
        mayGoOn.release();
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        String asked =
                UiMessage.parse(turn.history(HISTORY_BYTES).getLast().content()).text();
        turn.emit("{\"type\":\"start\",\"messageId\":\"%s\"}".formatted(turn.messageId()));
        if (turn.written().isPresent()) {
            return goOn(turn, UiMessage.parse(turn.written().get().content()));
        }
        return switch (asked) {
            case "wait" -> {
                begin(turn, "one ", "two ");
                mayGoOn.acquire();
                end(turn, "three");
                yield AgentResult.completed();
            }
            case "fail" -> {
                begin(turn, "half");
                throw new IllegalStateException("the model is out");
            }
            case "where", "where slowly" -> call(turn, "where", "");
            case "pay" ->
                call(
                        turn,
                        "pay",
                        "{\"type\":\"tool-approval-request\",\"approvalId\":\"approval-1\",\"toolCallId\":\"pay-1\"}");
            default -> {
                begin(turn, "Answer ", answers.incrementAndGet() + " to: ");
                end(turn, asked);
                yield AgentResult.completed();
            }
        };
    }

    private static AgentResult call(TurnContext turn, String tool, String asks) {
        begin(turn);
        end(turn, "Looking. ");
        turn.emit("{\"type\":\"start-step\"}");
        turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"%s-1\",\"toolName\":\"%s\",\"input\":{}}"
                .formatted(tool, tool));
        if (!asks.isEmpty()) {
            turn.emit(asks);
        }
        turn.emit("{\"type\":\"finish-step\"}");
        return AgentResult.awaiting("tool results");
    }

    private AgentResult goOn(TurnContext turn, UiMessage written) throws InterruptedException {
        String json = written.toNode().toString();
        if (json.contains("tool-pay")) {
            turn.emit("{\"type\":\"tool-output-available\",\"toolCallId\":\"pay-1\",\"output\":\"paid\"}");
        }
        begin(turn, "Done");
        if (json.contains("\"output\":\"Graz\"")) {
            mayGoOn.acquire();
        }
        end(turn, ".");
        return AgentResult.completed();
    }

    private static void begin(TurnContext turn, String... deltas) {
        turn.emit("{\"type\":\"start-step\"}");
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        for (String delta : deltas) {
            delta(turn, delta);
        }
    }

    private static void end(TurnContext turn, String delta) {
        delta(turn, delta);
        turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
        turn.emit("{\"type\":\"finish-step\"}");
        turn.emit("{\"type\":\"finish\",\"finishReason\":\"stop\"}");
    }

    private static void delta(TurnContext turn, String text) {
        turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"%s\"}".formatted(text));
    }
}
