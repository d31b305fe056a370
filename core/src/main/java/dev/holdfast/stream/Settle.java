package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import java.util.function.Function;

/** Settles a stream, with the application's commit callback in the same transaction if there is one. */
final class Settle extends Command<SettleResult> {

    private final StreamEngine engine;
    private final Function<CommitScope, StreamLog> stream;
    private final long epoch;
    private final Settlement settlement;

    Settle(StreamEngine engine, Function<CommitScope, StreamLog> stream, long epoch, Settlement settlement) {
        this.engine = engine;
        this.stream = stream;
        this.epoch = epoch;
        this.settlement = settlement;
    }

    static void check(Settlement settlement, StreamLimits limits) {
        if (settlement.outcome() == StreamState.LIVE) {
            throw new InvalidArgument("A stream is settled as COMPLETED or ERRORED, not as LIVE.");
        }
        AppendRequest.checkChunks(settlement.lastChunks(), limits);
    }

    @Override
    protected int payloadBytes() {
        int bytes = 0; // bounded by MAX_APPEND_BYTES
        for (byte[] chunk : settlement.lastChunks()) {
            bytes += chunk.length;
        }
        return bytes;
    }

    @Override
    protected boolean freesSpace() {
        return settlement.fate() == Settlement.Fate.DISCARD
                && settlement.lastChunks().isEmpty()
                && settlement.commit() == null;
    }

    @Override
    protected boolean exclusive() {
        return settlement.commit() != null;
    }

    @Override
    protected SettleResult decide(CommitScope scope) {
        StreamLog log = stream.apply(scope);
        SettleResult result = engine.settle(scope, log, epoch, settlement);
        CommitCallback callback = settlement.commit();
        if (result.settled() && callback != null) {
            Callbacks.run(scope, callback, engine.limits(), engine.timers());
        }
        return result;
    }
}
