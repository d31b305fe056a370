package dev.holdfast.turn;

import dev.holdfast.store.TurnRow;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts of turns have a thread in this process, who waits for their end, and which were stopped before their thread was known.
 *
 * <p>Everything is kept by attempt (a turn's epoch), so that the end of one attempt says nothing of the next, which may begin before the
 * first one's thread has cleaned up. Thread-safe.
 */
final class Attempts {

    private record Key(long session, String turn, long epoch) {
        static Key of(TurnRow row) {
            return new Key(row.sessionKey(), row.id(), row.epoch());
        }
    }

    private final ConcurrentHashMap<Key, Run> runs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Run> byName = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Key, CompletableFuture<TurnStatus>> rests = new ConcurrentHashMap<>();
    private final ConcurrentHashMap.KeySetView<Key, Boolean> earlyStops = ConcurrentHashMap.newKeySet();

    int running() {
        return runs.size();
    }

    /** How many entries there are; none once every turn rests and nobody waits. */
    int held() {
        return runs.size() + byName.size() + rests.size() + earlyStops.size();
    }

    Collection<Run> runs() {
        return runs.values();
    }

    /** Completes when this attempt waits or ends. */
    CompletableFuture<TurnStatus> rest(TurnRow attempt) {
        return rests.computeIfAbsent(Key.of(attempt), key -> new CompletableFuture<>());
    }

    /** Takes back a future that nobody will complete. Returns whether it was still there. */
    boolean forget(TurnRow attempt, CompletableFuture<TurnStatus> rest) {
        return rests.remove(Key.of(attempt), rest);
    }

    /** Adds a run. Returns whether its stop came before it. */
    boolean begin(Run run) {
        Key key = Key.of(run.row());
        runs.put(key, run);
        byName.put(TurnRows.parentName(run.row()), run);
        return earlyStops.remove(key);
    }

    /** The present run of a turn, by the name that nested turns have for it. */
    @Nullable
    Run named(String name) {
        return byName.get(name);
    }

    private void over(Key key) {
        Run run = runs.remove(key);
        if (run != null) {
            byName.remove(TurnRows.parentName(run.row()), run);
        }
        earlyStops.remove(key);
    }

    /** The run to be told of a stop; if there is none yet, the stop is kept for it. */
    @Nullable
    Run stopped(TurnRow attempt) {
        Key key = Key.of(attempt);
        Run run = runs.get(key);
        if (run == null) {
            earlyStops.add(key);
            run = runs.get(key);
            if (run != null && !earlyStops.remove(key)) {
                return null; // it took the early stop itself
            }
        }
        return run;
    }

    /** No run will come for this stop. */
    void forgetStop(TurnRow attempt) {
        earlyStops.remove(Key.of(attempt));
    }

    /** Whoever waits for one attempt waits for the next: the turn was taken up before anyone could see it rest. */
    void continuedAs(TurnRow attempt, TurnRow next) {
        over(Key.of(attempt));
        CompletableFuture<TurnStatus> waiting = rests.remove(Key.of(attempt));
        if (waiting == null) {
            return;
        }
        CompletableFuture<TurnStatus> already = rests.putIfAbsent(Key.of(next), waiting);
        if (already != null) {
            var unused = already.whenComplete((status, failure) -> {
                if (status != null) {
                    waiting.complete(status);
                } else {
                    waiting.cancel(false);
                }
            });
        }
    }

    /** The attempt is over, and this is how the turn stands. */
    void ended(TurnRow attempt, TurnStatus status) {
        CompletableFuture<TurnStatus> rest = remove(attempt);
        if (rest != null) {
            rest.complete(status);
        }
    }

    /** The attempt is over, but the turn is not. */
    void abandoned(TurnRow attempt) {
        CompletableFuture<TurnStatus> rest = remove(attempt);
        if (rest != null) {
            rest.cancel(false);
        }
    }

    private @Nullable CompletableFuture<TurnStatus> remove(TurnRow attempt) {
        Key key = Key.of(attempt);
        over(key);
        return rests.remove(key);
    }

    /** Completes when all that runs now rests. */
    CompletableFuture<Void> runsRest() {
        return CompletableFuture.allOf(
                runs.keySet().stream().map(rests::get).filter(Objects::nonNull).toArray(CompletableFuture[]::new));
    }

    /** The session is gone: nobody will end its turns that wait in the queue. */
    void forgetWaiting(long sessionKey) {
        for (Key key : rests.keySet()) {
            CompletableFuture<TurnStatus> rest =
                    key.session() == sessionKey && key.epoch() == 0 ? rests.remove(key) : null;
            if (rest != null) {
                rest.cancel(false);
            }
        }
    }

    /** Tells everyone who waits that this process ends. */
    void cancelRests() {
        for (Key key : rests.keySet()) {
            CompletableFuture<TurnStatus> rest = rests.remove(key);
            if (rest != null) {
                rest.cancel(false);
            }
        }
    }
}
