package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.time.Duration;
import java.util.List;

/**
 * Streams a sample text, so that everything around a model can be tried without one: no key, no network. The text says that it is a sample, and does
 * not answer the question. The same turn always gets the same chunks, so one that lost its process continues at the next chunk. Thread-safe.
 *
 * <p>A word of the user's message chooses another sample: {@code markdown}, {@code tool} (a call of one), {@code approve} (a call that asks first and
 * waits), {@code long} (about a minute at the usual pace) and {@code fail}.
 */
public final class DemoAgent implements Agent {

    private final Duration pace;

    /** @param pace time between two chunks; zero for as fast as they can be stored */
    public DemoAgent(Duration pace) {
        this.pace = pace;
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return Recovery.CONTINUE;
    }

    /**
     * @throws IllegalStateException where the user asked for a failure
     */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        DemoScript script = DemoScript.of(turn);
        List<UiChunk> chunks = script.chunks();
        for (UiChunk chunk : chunks.subList(Math.min(turn.prefix().size(), chunks.size()), chunks.size())) {
            if (turn.stopRequested()) {
                throw Upstream.stopped();
            }
            turn.emit(chunk.toBytes());
            if (!pace.isZero()) {
                Thread.sleep(pace);
            }
        }
        AgentResult end = script.end();
        if (end == null) {
            throw new IllegalStateException(DemoScript.FAILURE);
        }
        return end;
    }
}
