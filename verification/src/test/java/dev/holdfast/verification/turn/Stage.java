package dev.holdfast.verification.turn;

import dev.holdfast.session.Message;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** An agent that emits {@code answer of ID} and ends when the test lets it; it remembers what it saw, in order. */
final class Stage implements Agent {

    /** One run: whose, and the conversation it was given. */
    record Seen(String turn, List<String> history) {}

    final List<Seen> runs = new CopyOnWriteArrayList<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

    /** Keeps the turn from ending until {@link #release}. */
    Stage hold(String turn) {
        gates.put(turn, new CountDownLatch(1));
        return this;
    }

    void release(String turn) {
        gates.getOrDefault(turn, new CountDownLatch(0)).countDown();
    }

    List<String> order() {
        return runs.stream().map(Seen::turn).toList();
    }

    List<String> historyOf(String turn) {
        return runs.stream()
                .filter(run -> run.turn().equals(turn))
                .findFirst()
                .orElseThrow()
                .history();
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        List<String> history = turn.history(1 << 20).stream().map(Message::text).toList();
        turn.emit("answer of " + turn.turnId());
        runs.add(new Seen(turn.turnId(), history));
        gates.getOrDefault(turn.turnId(), new CountDownLatch(0)).await();
        return AgentResult.completed();
    }
}
