package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.ScriptedDisk.Fault;
import java.util.List;

/**
 * One event of a history. It says all there is to say, so that a history with some of its events left out is a history as well: numbers of
 * writers and readers are taken modulo what there is, and an event that finds nothing to work on does nothing.
 */
sealed interface Op {

    /** Opens a stream. {@code tag} 0 stands for none, {@code ttlSeconds} 0 for no expiry. */
    record Open(int stream, boolean takeOver, int tag, int ttlSeconds) implements Op {}

    /** What a producer says of its append. */
    enum Numbering {
        NONE,
        NEXT,
        REPEAT,
        GAP,
        STALE_EPOCH,
        NEW_EPOCH
    }

    /** What an append expects of the tail. */
    enum Expecting {
        NOTHING,
        RIGHT_TAIL,
        WRONG_TAIL
    }

    record Append(
            int writer, List<Integer> sizes, Numbering numbering, int producer, Expecting expecting, boolean async)
            implements Op {}

    /** An append that also stores a position of the writer's own; possibly without chunks. */
    record Checkpoint(int writer, List<Integer> sizes, long position) implements Op {}

    record ReadCheckpoint(int writer) implements Op {}

    /** What the commit callback of a settlement does. */
    enum Callback {
        NONE,
        WRITES,
        THROWS,
        TAKES_TOO_LONG
    }

    record Settle(int writer, boolean byName, boolean errored, boolean discard, List<Integer> sizes, Callback callback)
            implements Op {}

    /** One that names its stream. */
    record ByName(NamedOp what) implements Op {}

    record Trim(int stream, int perMille) implements Op {}

    record Delete(int stream) implements Op {}

    record Reclaim(int tag, int idleSeconds) implements Op {}

    /** Attaches a reader somewhere. {@code follows}: it reads and waits for more, again and again. */
    record Attach(int stream, int perMille, int maxBytes, boolean follows) implements Op {}

    /** Attaches a reader at the cursor of another one, alive or dead. */
    record Resume(int reader, int maxBytes, boolean follows) implements Op {}

    record Read(int reader, int maxBytes) implements Op {}

    record CloseReader(int reader) implements Op {}

    /** Runs batches of the committer. */
    record Step(int batches) implements Op {}

    record Advance(long millis) implements Op {}

    /** Plans a fault; if the process dies of it, so much of what was not synced survives. */
    record PlanFault(Fault fault, int steps, int survivingPerMille) implements Op {}

    /** Kills the process between two steps; the next one dies too, so many steps into its recovery, unless that is 0. */
    record Crash(int survivingPerMille, int recoverySteps) implements Op {}

    /** Closes and opens anew; after a fault, what of the unsynced survives is as said. */
    record Restart(int survivingPerMille) implements Op {}

    /** Lets everything come to rest and looks at all of it. */
    record Verify() implements Op {}
}
