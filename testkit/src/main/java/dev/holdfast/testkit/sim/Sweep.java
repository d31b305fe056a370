package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.SimulatedCrash;
import dev.holdfast.testkit.sim.Clients.Call;
import dev.holdfast.testkit.sim.Model.Action;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The reclaiming of abandoned streams: a sweep is many commands, so it has the floor for itself. */
final class Sweep {

    private final Simulation simulation;

    Sweep(Simulation simulation) {
        this.simulation = simulation;
    }

    void reclaim(Op.Reclaim op) {
        simulation.rest();
        if (simulation.process.committer.poison() != null || simulation.disk.dead()) {
            return;
        }
        String tag = String.valueOf(Clients.tagName(op.tag()));
        Duration idle = Duration.ofSeconds(op.idleSeconds());
        simulation.model.reviveLapsed(); // a sweep takes what expired as well
        List<Action> deletes = deletes(tag, simulation.time.wallMillis() - idle.toMillis());
        Call call = new Call(op, (m, now) -> {
            int count = 0;
            for (Action delete : deletes) {
                count += delete.apply(m, now).endsWith("true") ? 1 : 0;
            }
            return "reclaimed " + count;
        });
        simulation.readings.defer(true); // a sweep is judged as a whole, and its readers after it
        run(call, tag, idle);
        if (call.error == null && call.answer != null) {
            simulation.judge(call);
        } else {
            simulation.undecided(deletes);
        }
        simulation.readings.defer(false);
        simulation.pump();
    }

    private List<Action> deletes(String tag, long instant) {
        List<Action> deletes = new ArrayList<>();
        for (ModelStream stream : simulation.model.tagged(tag)) {
            if (!stream.live() || stream.lastAppendAt <= instant) {
                deletes.add((m, now) -> m.delete(stream.name, now));
            }
        }
        return deletes;
    }

    private void run(Call call, String tag, Duration idle) {
        SimProcess process = simulation.process;
        simulation.fibers.start("sweep", () -> {
            try {
                call.run(() -> "reclaimed " + process.streams.reclaim(tag, idle));
            } catch (SimulatedCrash e) {
                // it died with its process, and the restart looks at what is left
            }
        });
        simulation.pump();
        while (call.answer == null && !simulation.disk.dead()) {
            Violation.unless(simulation.step(), "a sweep waits for ever");
        }
    }
}
