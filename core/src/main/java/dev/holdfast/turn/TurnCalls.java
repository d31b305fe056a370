package dev.holdfast.turn;

import dev.holdfast.cluster.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls on turns that the node which runs a session's turns makes for the others. Their names and components are what nodes send each other. */
public final class TurnCalls {

    private TurnCalls() {}

    /** All of them. */
    public static List<Class<? extends Record>> all() {
        return List.of(Start.class, Stop.class, Resume.class, Answer.class, ClearWaiting.class);
    }

    /** How a turn stood when its start or resumption was through. */
    record Accepted(TurnStatus status, boolean started) {
        static Accepted of(TurnHandle handle) {
            return new Accepted(handle.status(), handle.started());
        }
    }

    record Start(String tenant, String sessionId, TurnRequest request) implements Request<TurnRuntime, Accepted> {
        @Override
        public Accepted on(TurnRuntime runtime) {
            return Accepted.of(new Turns(runtime, tenant).start(sessionId, request));
        }
    }

    record Stop(
            String tenant,
            String sessionId,
            String turnId,
            @Nullable String reason) implements Request<TurnRuntime, StopResult> {
        @Override
        public StopResult on(TurnRuntime runtime) {
            return new Turns(runtime, tenant).stop(sessionId, turnId, reason);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Resume(String tenant, String sessionId, String turnId, byte @Nullable [] input)
            implements Request<TurnRuntime, Accepted> {
        @Override
        public Accepted on(TurnRuntime runtime) {
            return Accepted.of(new Turns(runtime, tenant).resume(sessionId, turnId, input));
        }
    }

    record Answer(String tenant, String sessionId, String turnId, ToolAnswer answer)
            implements Request<TurnRuntime, AnswerResult> {
        @Override
        public AnswerResult on(TurnRuntime runtime) {
            return new Turns(runtime, tenant).answer(sessionId, turnId, answer);
        }
    }

    record ClearWaiting(
            String tenant, String sessionId, @Nullable String reason) implements Request<TurnRuntime, Integer> {
        @Override
        public Integer on(TurnRuntime runtime) {
            return new Turns(runtime, tenant).clearQueue(sessionId, reason);
        }
    }
}
