package dev.holdfast.testkit.sim;

import dev.holdfast.store.Committer;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.testkit.ScriptedDisk;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.testkit.SimTime;
import java.util.ArrayList;
import java.util.List;

/** One life of the core on the disk: opened, recovered, stepped by hand, and ended by a close or a crash. */
final class SimProcess {

    static final String TENANT = "tenant";

    final SimStore store;
    final Committer committer;
    final StreamEngine engine;
    final Streams streams;

    /** Writers that were handed out in this life. */
    final List<Writer> writers = new ArrayList<>();

    record Writer(StreamWriter api, int serial, long epoch) {}

    SimProcess(ScriptedDisk disk, SimTime time, Histories.Setup setup, Fibers fibers) {
        store = new SimStore(disk, time);
        committer = new Committer(store, time, setup.committer(), fibers);
        engine = new StreamEngine(store, committer, time, time, setup.streams());
        engine.recover();
        committer.maintain(engine.upkeep());
        streams = new Streams(engine, TENANT);
    }

    /** What a fresh process would have in memory, from the same disk. */
    static Picture rebuild(ScriptedDisk disk, Histories.Setup setup) {
        return new SimProcess(disk.copy(), new SimTime(), setup, new Fibers()).picture();
    }

    Picture picture() {
        return new Picture(
                engine.describe(),
                engine.inspection().heldBytes(),
                engine.upkeep().openBytes(),
                engine.upkeep().journalBytes());
    }

    /** The committed state in memory. */
    record Picture(List<String> streams, long heldBytes, long openBytes, long journalBytes) {}
}
