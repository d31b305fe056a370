package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.session.FeedWatch;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for a turn that another node runs to rest, by the session's feed. What is told of the feed is a hint; the turn's row decides. */
final class FarRest {

    private static final Logger LOG = LoggerFactory.getLogger(FarRest.class);

    private final TurnRuntime runtime;
    private final SessionRow session;
    private final String turnId;
    private final FeedWatch watch;
    private final CompletableFuture<TurnStatus> rest = new CompletableFuture<>();

    private FarRest(TurnRuntime runtime, SessionRow session, String turnId) {
        this.runtime = runtime;
        this.session = session;
        this.turnId = turnId;
        this.watch = runtime.sessions().watch(session);
    }

    /** Completes when the turn rests; is cancelled when its session is deleted, or this node does not follow the shard any more. */
    static CompletableFuture<TurnStatus> of(TurnRuntime runtime, String tenant, TurnStatus turn) {
        Optional<FarRest> found;
        try {
            found = runtime.store()
                    .read(reads -> reads.session(tenant, turn.sessionId()))
                    .map(session -> new FarRest(runtime, session, turn.id()));
        } catch (Closed e) { // the shard changes hands
            found = Optional.empty();
        } catch (HoldfastException e) { // the turn is there, whatever became of this
            LOG.warn("It is not known when turn {} rests: {}", turn.id(), e.getMessage());
            found = Optional.empty();
        }
        if (found.isEmpty()) {
            return CompletableFuture.failedFuture(new CancellationException());
        }
        FarRest waiting = found.get();
        var unused = waiting.rest.whenComplete((status, failure) -> waiting.watch.close());
        waiting.check();
        return waiting.rest;
    }

    private void check() {
        try {
            long seen = watch.version(); // before the read: what comes after it wakes us
            Optional<TurnRow> row = runtime.store()
                    .read(reads -> reads.session(session.key())
                            .filter(found -> !found.deleted())
                            .flatMap(found -> reads.turn(found.key(), turnId)));
            if (row.isEmpty() || runtime.draining() || watch.instanceClosed()) {
                rest.cancel(false);
            } else if (TurnRuntime.restless(row.get())) {
                watch.onChange(seen, () -> runtime.spawn("rest-" + turnId, this::check));
            } else {
                rest.complete(TurnRows.status(session.id(), row.get()));
            }
        } catch (HoldfastException e) {
            LOG.warn("It is not known any more when turn {} rests: {}", turnId, e.getMessage());
            rest.cancel(false);
        }
    }
}
