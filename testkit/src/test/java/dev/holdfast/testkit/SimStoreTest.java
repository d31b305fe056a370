package dev.holdfast.testkit;

import dev.holdfast.store.Store;
import java.nio.file.Path;

/** The simulated store keeps the contract. */
final class SimStoreTest extends StoreContract {

    private final ScriptedDisk disk = new ScriptedDisk();
    private final SimTime time = new SimTime();

    @Override
    protected Store open(Path where) {
        disk.restart(0);
        return new SimStore(disk, time);
    }
}
