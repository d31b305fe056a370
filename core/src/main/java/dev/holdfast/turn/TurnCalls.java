package dev.holdfast.turn;

import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.session.MessageDraft;
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

    /** A request without a callback and a parent. */
    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Wanted(
            String id,
            String agent,
            @Nullable MessageDraft message,
            @Nullable String again,
            byte[] input,
            @Nullable String messageId,
            Submit submit) {

        /**
         * Code cannot be sent.
         *
         * @throws InvalidArgument if the request has a callback or a parent
         */
        static Wanted of(TurnRequest request) {
            if (request.commit() != null || request.parent() != null) {
                throw new InvalidArgument(
                        "The turn would run on another node, which cannot have this request's commit callback or parent. "
                                + "Name the callback in TurnSettings.withCommit, which every node has; nest turns in sessions whose ids have the same part in braces.");
            }
            return new Wanted(
                    request.id(),
                    request.agent(),
                    request.message(),
                    request.again(),
                    request.input(),
                    request.messageId(),
                    request.submit());
        }

        TurnRequest request() {
            return new TurnRequest(id, agent, message, again, input, messageId, submit, null, null);
        }
    }

    record Start(String tenant, String sessionId, Wanted wanted) implements Request<TurnRuntime, Accepted> {
        @Override
        public Accepted on(TurnRuntime runtime) {
            return Accepted.of(new Turns(runtime, tenant).start(sessionId, wanted.request()));
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
