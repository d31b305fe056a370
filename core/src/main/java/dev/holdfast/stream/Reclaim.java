package dev.holdfast.stream;

import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import java.time.Duration;

/** Discards a stream unless it is live and got a chunk lately. Returns whether it did. */
final class Reclaim extends Command<Boolean> {

    private final StreamEngine engine;
    private final long key;
    private final Duration idleFor;

    Reclaim(StreamEngine engine, long key, Duration idleFor) {
        this.engine = engine;
        this.key = key;
        this.idleFor = idleFor;
    }

    @Override
    protected boolean freesSpace() {
        return true;
    }

    @Override
    protected Boolean decide(CommitScope scope) {
        StreamLog log = engine.find(scope, key);
        if (log == null || log.busySince(scope.now() - idleFor.toMillis())) {
            return false;
        }
        engine.discard(scope, log);
        return true;
    }
}
