package dev.holdfast.verification.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An agent that says {@code one two}, asked whether it is so, and goes on behind the words that it has said. */
final class TwoWords implements Agent {

    private static final long HISTORY_BYTES = 1 << 20;

    /** What happens around each word. */
    interface Pace {
        /** Returns when the next word may be said. */
        void beforeWord() throws InterruptedException;

        /** A word is durable. */
        default void afterWord(String word) {}

        /** All is said. */
        default void atTheEnd() {}
    }

    private final Pace pace;

    TwoWords(Pace pace) {
        this.pace = pace;
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        String asked =
                UiMessage.parse(turn.history(HISTORY_BYTES).getLast().content()).text();
        if (!asked.equals("Is it so?")) {
            throw new IllegalArgumentException("asked: " + asked);
        }
        int said = Math.max(0, turn.prefix().size() - 2);
        if (turn.prefix().isEmpty()) {
            turn.emit(List.of(
                    "{\"type\":\"start\"}".getBytes(StandardCharsets.UTF_8),
                    "{\"type\":\"text-start\",\"id\":\"t\"}".getBytes(StandardCharsets.UTF_8)));
        }
        for (String word : List.of("one ", "two").subList(said, 2)) {
            pace.beforeWord();
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + word + "\"}");
            pace.afterWord(word);
        }
        pace.atTheEnd();
        return AgentResult.completed();
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return Recovery.CONTINUE;
    }
}
