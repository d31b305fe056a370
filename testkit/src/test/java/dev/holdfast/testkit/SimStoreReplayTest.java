package dev.holdfast.testkit;

import dev.holdfast.store.Store;
import dev.holdfast.store.Time;
import java.nio.file.Path;

/** Replay races with append on the simulated store. */
final class SimStoreReplayTest extends ReplayContract {

    @Override
    protected Store open(Path where) {
        return new SimStore(new ScriptedDisk(), Time.system());
    }
}
