package dev.holdfast.verification.session;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.session.Sessions;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.Streams;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** The engines on a store in a folder, as an instance assembles them, with time that stands still. */
final class Opened implements AutoCloseable {

    static final String TENANT = "tenant";

    final SteppedTime time;
    final CountedStore store;
    final Committer committer;
    final StreamEngine streams;
    final SessionEngine engine;
    final Sessions sessions;
    private final ExecutorService callbacks;

    Opened(Path folder) {
        this(folder, SessionLimits.defaults());
    }

    Opened(Path folder, SessionLimits limits) {
        this(folder, limits, new SteppedTime());
        start();
    }

    /** The committer does not run yet. */
    Opened(Path folder, SessionLimits limits, SteppedTime time) {
        this.time = time;
        store = new CountedStore(
                SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), time)));
        callbacks = Executors.newVirtualThreadPerTaskExecutor();
        committer = new Committer(store, time, Committer.Limits.defaults(), callbacks);
        streams = new StreamEngine(store, committer, time, time, StreamLimits.defaults());
        engine = new SessionEngine(streams, limits, callbacks);
        streams.recover();
        engine.recover();
        committer.maintain(Maintenance.all(streams.upkeep(), engine.upkeep()));
        sessions = new Sessions(engine, TENANT);
    }

    Opened start() {
        committer.start();
        return this;
    }

    Streams streams() {
        return new Streams(streams, TENANT);
    }

    /** Runs as one command. */
    <T> T command(Function<CommitScope, T> work) {
        return committer.execute(of(work));
    }

    static <T> Command<T> of(Function<CommitScope, T> work) {
        return new Command<>() {
            @Override
            protected T decide(CommitScope scope) {
                return work.apply(scope);
            }
        };
    }

    SessionRow row(CommitScope scope, Session session) {
        return engine.require(scope, TENANT, session.id());
    }

    /** Lets the committer do what it owes to itself until the condition holds, one batch at a time. */
    void upkeepUntil(Function<StoreReads, Boolean> done) {
        for (int batch = 0; batch < 10_000; batch++) {
            if (store.read(done)) {
                Boolean unused = command(scope -> true); // what the store has is in memory as well
                return;
            }
            Boolean unused = command(scope -> true);
        }
        throw new AssertionError("upkeep did not get there within 10,000 batches");
    }

    static MessageDraft user(String id) {
        return MessageDraft.of(id, "user", "content of " + id);
    }

    /** Appends messages, each under the one before. */
    static void append(Session session, String... ids) {
        List.of(ids).forEach(id -> session.append(user(id)));
    }

    @Override
    public void close() {
        committer.close();
        callbacks.close();
        store.close();
    }
}
