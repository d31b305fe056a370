package dev.holdfast.turn;

import java.util.Optional;
import java.util.function.Function;

/**
 * What answers in a turn: ordinary blocking code, run on a virtual thread of its own, detached from every request.
 *
 * <p>It emits chunks through its {@link TurnContext}; each chunk is durable before anyone can see it. When {@link #run} returns, the turn
 * is cut over: the message that the {@link MessageAssembler} makes of the chunks is written, the stream ends, and both become visible at
 * once. When it throws, the turn ends as failed, with the partial kept.
 *
 * <p>An agent is shared by all its turns and must be thread-safe.
 */
public interface Agent {

    /**
     * Runs the turn, or goes on with it after a crash.
     *
     * @return how the run ended
     * @throws InterruptedException when it noticed that the turn was stopped or the process drains
     * @throws Exception when the turn cannot go on; the message becomes the turn's error
     */
    AgentResult run(TurnContext turn) throws Exception;

    /**
     * How a turn goes on that lost its process, stalled, or failed in a way that {@link #isTransient} says may pass. Asked once per attempt,
     * before {@link #run}, on the turn's thread: it may block, for example
     * to ask a provider whether its run still exists. One that throws counts as {@link Recovery#RETRY}.
     *
     * <p>The default starts anew when nothing was emitted yet, and otherwise retries from the user's message: readers are told
     * {@code restarted} and end with the same final message as everyone else.
     */
    default Recovery recover(LostTurn turn) {
        return Recovery.RETRY;
    }

    /**
     * Whether a failure of {@link #run} may pass by itself: a provider that is overloaded or out of reach, a connection that broke. The turn is
     * then taken up again after a pause, as after the loss of its process and within the same budgets, and {@link #recover} is asked how. Any
     * other failure ends the turn.
     */
    default boolean isTransient(Exception failure) {
        return false;
    }

    /** What to do with a turn that lost its process. */
    enum Recovery {
        /** Run again on the same stream, after the durable prefix: {@link TurnContext#prefix()} and {@link TurnContext#position()} tell where. */
        CONTINUE,
        /** Drop the prefix and run again on a new stream. Readers are told {@code restarted}. */
        RETRY,
        /** End as interrupted, with the partial kept in the message. */
        INTERRUPT
    }

    /**
     * What is known of a turn that lost its process.
     *
     * @param sessionId its session
     * @param turnId its id
     * @param attempt the attempt that would come now, from 2
     * @param chunks how many chunks are durable in its stream
     * @param stream the name of its stream
     * @param memory reads what {@link TurnContext#remember} kept with that stream
     */
    record LostTurn(
            String sessionId,
            String turnId,
            int attempt,
            long chunks,
            String stream,
            Function<String, Optional<byte[]>> memory) {

        /** A value kept by {@link TurnContext#remember} in an earlier attempt on this stream. */
        public Optional<byte[]> recall(String name) {
            return memory.apply(name);
        }
    }
}
