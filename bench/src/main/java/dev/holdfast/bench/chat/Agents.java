package dev.holdfast.bench.chat;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiMessageContents;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;

/** The agents that the benchmark runs. */
final class Agents {

    /** Emits {@link Deltas#CHUNKS} deltas, each after the one before is durable, and ends. */
    static final String MEASURED = "measured";

    /** The same, and then lives on until it is stopped. */
    static final String HELD = "held";

    /** Emits {@link #LONG_CHUNKS} deltas, many at a time, and lives on. */
    static final String LONG = "long";

    static final int LONG_CHUNKS = 20_000;

    /** Shows where the deltas of {@link #LONG} end. */
    static final String LAST_WORDS = "that is all";

    private static final int LONG_BATCH = 100;

    private Agents() {}

    /**
     * @param acknowledged told of each acknowledged chunk when its append began
     */
    static HoldfastSettings settings(LongConsumer acknowledged) {
        return HoldfastSettings.defaults()
                .withContents(new UiMessageContents())
                .withTurns(TurnSettings.defaults()
                        .withAssembler(new UiMessageAssembler())
                        .withAgent(MEASURED, turn -> {
                            say(turn, acknowledged);
                            turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
                            return AgentResult.completed();
                        })
                        .withAgent(HELD, turn -> {
                            say(turn, acknowledged);
                            return held();
                        })
                        .withAgent(LONG, (Agent) Agents::sayMuch));
    }

    private static void say(TurnContext turn, LongConsumer acknowledged) {
        begin(turn);
        for (int i = 0; i < Deltas.CHUNKS; i++) {
            long now = System.nanoTime();
            turn.emit(Deltas.stamped(now));
            acknowledged.accept(now);
        }
    }

    private static AgentResult sayMuch(TurnContext turn) throws InterruptedException {
        begin(turn);
        for (int i = 0; i < LONG_CHUNKS / LONG_BATCH; i++) {
            byte[][] batch = new byte[LONG_BATCH][];
            for (int k = 0; k < LONG_BATCH; k++) {
                batch[k] = Deltas.stamped(System.nanoTime());
            }
            turn.emit(List.of(batch));
        }
        turn.emit(Deltas.delta(LAST_WORDS));
        return held();
    }

    private static void begin(TurnContext turn) {
        turn.emit("{\"type\":\"start\",\"messageId\":\"%s\"}".formatted(turn.messageId()));
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
    }

    private static AgentResult held() throws InterruptedException {
        new CountDownLatch(1).await(); // until its turn is stopped or its process ends
        return AgentResult.completed();
    }
}
