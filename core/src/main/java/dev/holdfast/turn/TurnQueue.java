package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Timers;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the turns that wait, one after the other in each session.
 *
 * <p>The queue itself is in the store: the session's turns in state {@code ACCEPTED}. A turn that waits has no thread, and no timer unless it
 * is first and its debounce window is open (IDLE-IS-SILENT). Whatever may free a session calls {@link #advance}, which asks the committer
 * what is next; a call too many changes nothing, so nobody has to know whether another one was made. Thread-safe.
 */
final class TurnQueue {

    private static final Logger LOG = LoggerFactory.getLogger(TurnQueue.class);

    private record Key(long session, String turn) {
        static Key of(TurnRow row) {
            return new Key(row.sessionKey(), row.id());
        }
    }

    private final TurnRuntime runtime;
    private final ConcurrentHashMap<Key, CommitCallback> commits = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Timers.Handle> alarms = new ConcurrentHashMap<>();

    TurnQueue(TurnRuntime runtime) {
        this.runtime = runtime;
        runtime.sessions().onCleared((scope, session) -> clear(scope, session, "the session was cleared"));
    }

    /** Keeps what is not stored of a turn that begins to wait. Committer's thread. */
    void keep(CommitScope scope, TurnRow waiting, @Nullable CommitCallback commit) {
        if (commit != null) {
            scope.stage(new AfterCommit(() -> commits.put(Key.of(waiting), commit), null));
        }
    }

    /** The session is gone, and nothing of it will begin. */
    void forget(long sessionKey) {
        commits.keySet().removeIf(key -> key.session() == sessionKey);
        Timers.Handle alarm = alarms.remove(sessionKey);
        if (alarm != null) {
            alarm.cancel();
        }
    }

    /** How many entries there are; none once nothing waits. */
    int held() {
        return commits.size() + alarms.size();
    }

    /** Ends a turn that waits, inside a command; who waits for it is told after the commit. */
    TurnRow endWaiting(CommitScope scope, SessionRow session, TurnRow waiting, @Nullable String reason) {
        TurnRow ended = Line.end(runtime.sessions(), scope, session, waiting, reason);
        scope.stage(new AfterCommit(
                () -> commits.remove(Key.of(waiting)),
                () -> runtime.spawn(
                        "ended-" + waiting.id(), () -> runtime.endings().ended(waiting, ended))));
        return ended;
    }

    /** Ends all turns of a session that wait, inside a command. Returns how many. */
    int clear(CommitScope scope, SessionRow session, String reason) {
        List<TurnRow> waiting = Line.of(scope.reads(), session.key()).stream()
                .filter(Line::waits)
                .toList();
        waiting.forEach(turn -> endWaiting(scope, session, turn, reason));
        return waiting.size();
    }

    /** Looks for the next turn if any waits. Any thread; waits for the disk. */
    void advance(long sessionKey) {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!runtime.draining()) {
            try {
                boolean waits = runtime.store()
                        .read(reads -> Line.of(reads, sessionKey).stream().anyMatch(Line::waits));
                if (waits) {
                    begin(sessionKey, runtime.committer().execute(new StartNext(runtime, sessionKey)));
                }
                return;
            } catch (StorePoisoned | Closed e) {
                return; // the next open of the store goes on with the queue
            } catch (HoldfastException e) {
                LOG.warn("The next turn could not be started and is tried again in {}: {}", pause, e.getMessage());
                pause = runtime.waits().pauseAndGrow(pause);
            }
        }
    }

    private void begin(long sessionKey, StartNext.Next next) {
        switch (next) {
            case StartNext.Next.Started started ->
                runtime.launchWaited(
                        started.session(),
                        started.waited(),
                        started.row(),
                        started.stream().writer(),
                        commits.remove(Key.of(started.waited())));
            case StartNext.Next.Later later -> arm(sessionKey, later.at());
            case StartNext.Next.Nothing nothing -> {}
        }
    }

    private void arm(long sessionKey, long at) {
        long wait = Math.max(1, at - runtime.streams().time().wallMillis());
        alarms.compute(sessionKey, (key, before) -> {
            if (before != null) {
                before.cancel();
            }
            return runtime.streams().timers().after(Duration.ofMillis(wait), () -> {
                alarms.remove(sessionKey);
                runtime.spawn("debounced-" + sessionKey, () -> advance(sessionKey));
            });
        });
    }

    /** What follows a commit: in memory at once, and for those who wait, on a thread of their own. */
    private record AfterCommit(Runnable change, @Nullable Runnable tell) implements CommitScope.Staged {
        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            change.run();
        }

        @Override
        public void discard() {}

        @Override
        public void wake() {
            if (tell != null) {
                tell.run();
            }
        }
    }
}
