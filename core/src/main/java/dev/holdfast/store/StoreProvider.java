package dev.holdfast.store;

import java.nio.file.Path;

/** Found by {@link java.util.ServiceLoader}: opens the embedded store that is on the class path. */
public interface StoreProvider {

    /** A short name such as {@code sqlite}. */
    String name();

    /**
     * Opens (and creates, if missing) the store in this folder.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreLocked if another process has it open
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged if its files are damaged
     */
    Store open(Path folder, StoreSettings settings);
}
