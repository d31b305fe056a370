package dev.holdfast.http.chat;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** An agent that does step by step what the test says; a turn takes the steps that no other has taken. */
final class StagedAgent implements Agent {

    private sealed interface Step {
        record Say(String chunk) implements Step {}

        record End(AgentResult result) implements Step {}

        record Fail(String error) implements Step {}

        record BreakOff() implements Step {}
    }

    private final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();

    /** Chunks from JSON with single quotes. */
    StagedAgent say(String... chunks) {
        for (String chunk : chunks) {
            steps.add(new Step.Say(chunk.replace('\'', '"')));
        }
        return this;
    }

    /** A step of one text. */
    StagedAgent text(String... deltas) {
        say("{'type':'start-step'}", "{'type':'text-start','id':'t'}");
        for (String delta : deltas) {
            say("{'type':'text-delta','id':'t','delta':'" + delta + "'}");
        }
        return say("{'type':'text-end','id':'t'}", "{'type':'finish-step'}");
    }

    /** Whether all steps were taken. */
    boolean isIdle() {
        return steps.isEmpty();
    }

    void end() {
        say("{'type':'finish','finishReason':'stop'}");
        steps.add(new Step.End(AgentResult.completed()));
    }

    void await() {
        steps.add(new Step.End(AgentResult.awaiting("tool results")));
    }

    void fail(String error) {
        steps.add(new Step.Fail(error));
    }

    /** Fails in a way that may pass: the turn begins anew, with the next steps. */
    void breakOff() {
        steps.add(new Step.BreakOff());
    }

    @Override
    public boolean isTransient(Exception failure) {
        return failure instanceof IOException;
    }

    @Override
    public AgentResult run(TurnContext turn) throws Exception {
        while (true) {
            switch (steps.take()) {
                case Step.Say say -> turn.emit(say.chunk());
                case Step.End end -> {
                    return end.result();
                }
                case Step.BreakOff broken -> throw new IOException("the connection to the model broke");
                case Step.Fail fail -> throw new IllegalStateException(fail.error());
            }
        }
    }
}
