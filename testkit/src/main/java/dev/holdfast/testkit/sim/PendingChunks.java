package dev.holdfast.testkit.sim;

import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.testkit.SimTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** After a start: whether what agents emitted and were not told of is on the disk. */
final class PendingChunks {

    private final SessionSimulation simulation;

    PendingChunks(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    /** Settles each: it is in the stream as a whole, or not at all. */
    void resolve() {
        Map<Long, Long> tails = null;
        for (ModelSession session : simulation.model.all) {
            for (ModelTurn turn : session.turns.values()) {
                Job job = session.gone || turn.state != State.STREAMING
                        ? null
                        : simulation.jobs.of(turn.messageId, turn.attempt());
                if (job != null && job.pending != null) {
                    tails = tails == null ? tails() : tails;
                    resolve(turn, job, job.pending, tails);
                }
            }
        }
    }

    private void resolve(ModelTurn turn, Job job, List<String> pending, Map<Long, Long> tails) {
        ModelTurn.Chunks chunks = turn.attempt().chunks();
        Long tail = tails.get(chunks.streamKey);
        job.pending = null;
        if (tail != null && tail == chunks.list.size() + pending.size()) {
            chunks.list.addAll(pending);
            chunks.position = Math.max(chunks.position, job.pendingPosition);
        } else {
            Violation.unless(
                    tail == null || tail == chunks.list.size(),
                    "EXACT-PREFIX: the stream of turn %s has %d chunks, acknowledged are %d and %d were sent after",
                    turn,
                    tail,
                    chunks.list.size(),
                    pending.size());
        }
    }

    /** The tails of all streams that are there, from the rows and the log. */
    private Map<Long, Long> tails() {
        Map<Long, Long> tails = new HashMap<>();
        SimStore copy = new SimStore(simulation.disk.copy(), new SimTime());
        copy.recover(entry ->
                entry.records().forEach(append -> tails.merge(append.streamKey(), append.nextSeq(), Math::max)));
        copy.observe(reads -> {
            for (ModelSession session : simulation.model.all) {
                for (ModelTurn turn : session.turns.values()) {
                    if (turn.attempts.isEmpty()) {
                        continue;
                    }
                    long key = turn.attempt().chunks().streamKey;
                    StreamRow row = reads.stream(key).orElse(null);
                    if (row == null || row.state() != StreamRow.State.LIVE) {
                        tails.remove(key);
                    } else {
                        tails.merge(key, row.sealedTo(), Math::max);
                    }
                }
            }
            return true;
        });
        return tails;
    }
}
