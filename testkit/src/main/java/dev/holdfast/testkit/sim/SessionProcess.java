package dev.holdfast.testkit.sim;

import dev.holdfast.session.SessionEngine;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.session.Sessions;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.Streams;
import dev.holdfast.testkit.ScriptedDisk;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRuntime;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.Turns;
import java.time.Duration;

/** One life of sessions and turns on the disk, assembled as {@link dev.holdfast.Holdfast} does, and stepped by hand. */
final class SessionProcess {

    static final String TENANT = "tenant";

    final SimStore store;
    final Committer committer;
    final StreamEngine engine;
    final SessionEngine sessionEngine;
    final TurnRuntime runtime;
    final Sessions sessions;
    final Streams streams;
    final Turns turns;

    /** What a history starts from. */
    record Setup(
            StreamLimits streams,
            Committer.Limits committer,
            SessionLimits sessions,
            TurnLimits turns,
            Duration stallTimeout,
            boolean stubbornAgents) {}

    SessionProcess(ScriptedDisk disk, SimTime time, Setup setup, Fibers fibers, TurnSettings settings) {
        store = new SimStore(disk, time);
        committer = new Committer(store, time, setup.committer(), fibers);
        engine = new StreamEngine(store, committer, time, time, setup.streams());
        sessionEngine = new SessionEngine(engine, setup.sessions(), fibers);
        runtime = new TurnRuntime(engine, sessionEngine, settings);
        engine.recover();
        sessionEngine.recover();
        committer.maintain(Maintenance.all(engine.upkeep(), sessionEngine.upkeep()));
        sessions = new Sessions(sessionEngine, TENANT);
        streams = new Streams(engine, TENANT);
        turns = new Turns(runtime, TENANT);
    }

    /** As {@link dev.holdfast.Holdfast#close()}; of a dead process, it ends the waits of its threads. */
    void close() {
        runtime.drain(Duration.ZERO);
        committer.close();
        engine.close();
        sessionEngine.close();
    }
}
