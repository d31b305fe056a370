package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.List;

/** The clients of a history that follow sessions. */
final class Watchers {

    private final SessionSimulation simulation;
    private final List<Watcher> all = new ArrayList<>();

    Watchers(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    void watch(SessionOp.Watch op) {
        Watcher watcher = new Watcher(simulation, all.size(), SessionClients.sessionName(op.session()), op.maxBytes());
        all.add(watcher);
        watcher.connect();
        simulation.pump();
    }

    void comeBack(SessionOp.ComeBack op) {
        if (!all.isEmpty()) {
            all.get(op.watcher() % all.size()).connect();
            simulation.pump();
        }
    }

    void leave(SessionOp.Leave op) {
        if (!all.isEmpty()) {
            all.get(op.watcher() % all.size()).leave();
            simulation.pump();
        }
    }

    void processEnds() {
        all.forEach(Watcher::leave);
    }

    boolean noneConnected() {
        return all.stream().noneMatch(Watcher::connected);
    }

    void checkAtRest() {
        all.stream().filter(Watcher::connected).forEach(Watcher::checkAtRest);
    }
}
