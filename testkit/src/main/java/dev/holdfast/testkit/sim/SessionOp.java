package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.ScriptedDisk.Fault;
import java.util.List;

/**
 * One event of a history of sessions and turns. Like {@link Op} it says all there is to say: numbers of agents and clients are taken modulo
 * what there is, and an event that finds nothing to work on does nothing.
 */
sealed interface SessionOp {

    record Create(int session) implements SessionOp {}

    /** Where a message is to go. */
    enum Place {
        LEAF,
        ROOT,
        UNDER
    }

    /** Adds a message or, as an upsert, replaces it. */
    record Put(int session, int message, Place place, int under, int content, boolean upsert) implements SessionOp {}

    record DeleteMessage(int session, int message) implements SessionOp {}

    record Clear(int session) implements SessionOp {}

    record DeleteSession(int session) implements SessionOp {}

    /** On what condition a property is written. */
    enum Condition {
        ALWAYS,
        ABSENT,
        RIGHT_VERSION,
        WRONG_VERSION
    }

    record SetProperty(int session, int name, Condition condition) implements SessionOp {}

    record DeleteProperty(int session, int name) implements SessionOp {}

    /** How an agent wants to go on after its process was lost. */
    enum Policy {
        CONTINUE,
        RETRY,
        INTERRUPT,
        FAILS_TO_SAY
    }

    /** What the application's commit does in the transaction that ends a turn. */
    enum Commit {
        NONE,
        WRITES,
        THROWS_TWICE
    }

    /**
     * Starts a turn, or repeats a start.
     *
     * @param payload which input; another one under the same key is a conflict
     * @param asks whether it brings the user's message
     */
    record Start(int session, int turn, int payload, Policy policy, boolean asks, Commit commit, Submit submit)
            implements SessionOp {}

    /** What becomes of a turn while its session is busy. */
    enum Submit {
        DROP,
        QUEUE,
        LATEST,
        MERGE,
        DEBOUNCE
    }

    record ClearQueue(int session) implements SessionOp {}

    /** Tells an agent to start a nested turn. */
    record Nest(int agent, int turn, Policy policy) implements SessionOp {}

    /** Tells an agent to emit, with a position of its own or without. */
    record Emit(int agent, List<Integer> sizes, boolean positioned) implements SessionOp {}

    /** How an agent's run ends. */
    enum End {
        COMPLETES,
        AWAITS,
        THROWS
    }

    record Return(int agent, End end) implements SessionOp {}

    /**
     * Stops a turn.
     *
     * @param ahead also if it is still to come
     */
    record Stop(int session, int turn, boolean ahead) implements SessionOp {}

    /** Answers a tool call of a turn, whether it waits for that or not. */
    record Answer(int session, int turn, int call, int output) implements SessionOp {}

    record Resume(int session, int turn) implements SessionOp {}

    /** A client begins to follow a session from a snapshot. */
    record Watch(int session, int maxBytes) implements SessionOp {}

    /** A client comes back with the cursor it has. */
    record ComeBack(int watcher) implements SessionOp {}

    /** A client loses its connection. */
    record Leave(int watcher) implements SessionOp {}

    /** Runs batches of the committer. */
    record Step(int batches) implements SessionOp {}

    record Advance(long millis) implements SessionOp {}

    /** Plans a fault; if the process dies of it, so much of what was not synced survives. */
    record PlanFault(Fault fault, int steps, int survivingPerMille) implements SessionOp {}

    /** Kills the process between two steps; the next one dies too, so many steps into its recovery, unless that is 0. */
    record Crash(int survivingPerMille, int recoverySteps) implements SessionOp {}

    /** Closes and opens anew. */
    record Restart(int survivingPerMille) implements SessionOp {}

    /** Lets everything come to rest and looks at all of it. */
    record Verify() implements SessionOp {}
}
