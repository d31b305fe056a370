package dev.holdfast.node;

import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.ObservedStore;
import dev.holdfast.store.Store;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.Neighbours;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.turn.TurnRuntime;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.function.LongPredicate;

/**
 * The engines of one shard in this process: those of the process that may write it, or those of one that only follows.
 *
 * <p>For Holdfast's own packages. Thread-safe.
 */
public final class Engines implements AutoCloseable {

    private final ObservedStore store;
    private final Committer committer;
    private final StreamEngine streams;
    private final SessionEngine sessions;
    private final TurnRuntime turns;

    /**
     * @param futures runs what must not keep a committer's thread busy; outlives the engines
     * @param neighbours what is known of other shards and nodes; with a way to another node the engines follow
     */
    public Engines(
            Store given, EngineSettings settings, Timers timers, ExecutorService futures, Neighbours neighbours) {
        this.store = new ObservedStore(given);
        this.committer = new Committer(store, settings.time(), settings.committer(), futures);
        this.streams = new StreamEngine(store, committer, settings.time(), timers, settings.streams(), neighbours);
        this.sessions = new SessionEngine(streams, settings.sessions(), settings.contents(), futures);
        this.turns = new TurnRuntime(streams, sessions, settings.turns());
        if (neighbours.far() != null) {
            committer.close(); // nothing is committed here
        }
    }

    /** Rebuilds what the log holds and takes up the turns that an earlier process left. Called once, by the process that may write. */
    public void recover() {
        streams.recover();
        sessions.recover();
        committer.maintain(Maintenance.all(streams.upkeep(), sessions.upkeep()));
        committer.start();
        turns.recover();
    }

    public StreamEngine streams() {
        return streams;
    }

    public SessionEngine sessions() {
        return sessions;
    }

    public TurnRuntime turns() {
        return turns;
    }

    /** Whether writes work: false after a failure that only opening the store anew heals. */
    public boolean healthy() {
        return committer.poison() == null;
    }

    /** Registers what is run, on the committer's thread, when writes stop working for good. It must not block. */
    void onPoison(Runnable told) {
        committer.onPoison(told);
    }

    /** Whether nobody has found damage in what is stored. */
    public boolean intact() {
        return store.damage().isEmpty() && committer.damage().isEmpty();
    }

    /** Whether this process may write the shard. */
    public boolean isWriting() {
        return streams.far() == null;
    }

    /** Whether nobody in this process reads the shard. Only of engines that follow. */
    public boolean isIdle() {
        return streams.isIdle() && sessions.isIdle();
    }

    /** Looks at what is read here and may have changed. Only of engines that follow; does nothing once they are closed. */
    public void look(LongPredicate changed) {
        if (!streams.isIdle()) {
            streams.look(changed);
        }
        if (!sessions.isIdle()) {
            sessions.look(changed);
        }
    }

    /** Finishes what is queued, leaves the turns that run to be taken up by the next open, and ends all waits. */
    public void stop() {
        turns.drain(Duration.ZERO);
        committer.close();
        streams.close();
        sessions.close();
    }

    /** As {@link #stop}, and releases the store. */
    @Override
    public void close() {
        stop();
        store.close();
    }
}
