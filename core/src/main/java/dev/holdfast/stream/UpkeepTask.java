package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Backoff;
import dev.holdfast.store.Command;

/** Work of the engine's own: its failure is noted and it is tried again later. Confined to the committer's thread. */
abstract class UpkeepTask extends Command<Boolean> {

    private final Backoff backoff;

    UpkeepTask(Backoff backoff) {
        this.backoff = backoff;
    }

    @Override
    protected boolean freesSpace() {
        return true;
    }

    @Override
    protected void refused(HoldfastException error) {
        backoff.failed(error);
        retry();
    }

    /** Makes the work due again. */
    abstract void retry();
}
