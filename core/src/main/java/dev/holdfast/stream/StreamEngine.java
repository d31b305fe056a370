package dev.holdfast.stream;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of one store in memory, and the operations on them that a command can combine into one transaction.
 *
 * <p>For Holdfast's own packages: sessions and turns use it to write messages, feeds and streams together. Applications use
 * {@link Streams}.
 *
 * <p><b>Who owns what.</b> The tables of streams ({@link LoadedStreams}) are changed by the committer's thread alone. Readers find a stream
 * through a concurrent map and then look only at its published view.
 */
public final class StreamEngine {

    private static final Logger LOG = LoggerFactory.getLogger(StreamEngine.class);

    private final Store store;
    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private final StreamLimits limits;
    private final BlockCache blocks;
    private final Upkeep upkeep;

    private final LoadedStreams streams = new LoadedStreams(this::loadedFrom);
    private final KeyReservation keys = new KeyReservation();
    private final Forks forks = new Forks(this, streams);
    private final Creation creation = new Creation(this, streams, keys, forks);
    private final Neighbours neighbours;
    private final @Nullable Following following;
    private volatile boolean closed;

    /** The engine of the node that may write the shard. */
    public StreamEngine(Store store, Committer committer, Time time, Timers timers, StreamLimits limits) {
        this(store, committer, time, timers, limits, Neighbours.none());
    }

    /**
     * The engine of one shard of many.
     *
     * @param committer if another node may write the shard, one that is closed
     */
    public StreamEngine(
            Store store, Committer committer, Time time, Timers timers, StreamLimits limits, Neighbours neighbours) {
        this.neighbours = neighbours;
        this.following = neighbours.far() == null ? null : new Following(this, streams);
        this.store = store;
        this.committer = committer;
        this.time = time;
        this.timers = timers;
        this.limits = limits;
        this.blocks = new BlockCache(store, neighbours.blockCacheBytes());
        this.upkeep = new Upkeep(this, committer, time, timers, limits);
    }

    public Committer committer() {
        return committer;
    }

    public Store store() {
        return store;
    }

    public Time time() {
        return time;
    }

    public Timers timers() {
        return timers;
    }

    public StreamLimits limits() {
        return limits;
    }

    /** The engine's own work, to be named to the committer. */
    public Upkeep upkeep() {
        return upkeep;
    }

    BlockCache blocks() {
        return blocks;
    }

    Listeners listeners() {
        return neighbours.listeners();
    }

    /** The way to the node that may write the shard, or null if this one may. */
    public @Nullable Far far() {
        return neighbours.far();
    }

    /** A commit changed the stream or session of this key. Committer's thread. */
    public void changed(long key) {
        neighbours.changed().accept(key);
    }

    /** Whether other nodes read the shard. */
    boolean isFollowed() {
        return neighbours.followed();
    }

    /** Whether a stream or session of this name lives in this shard. */
    boolean isHome(String tenant, String name) {
        return neighbours.home().test(tenant, name);
    }

    /**
     * Checks that what is to be created belongs into this shard.
     *
     * @throws InvalidArgument if it would not be found there
     */
    public void checkHome(String tenant, String name) {
        if (!isHome(tenant, name)) {
            throw new InvalidArgument(
                    "\"%s\" would live in another shard than what it must be committed with. Give both names the same part in braces."
                            .formatted(name));
        }
    }

    /** Looks at what is read here and may have changed; only for a shard that another node writes. Any thread. */
    public void look(LongPredicate changed) {
        if (following != null) {
            following.look(changed);
        }
    }

    /** Whether nothing is read here. */
    public boolean isIdle() {
        return following == null || following.isIdle();
    }

    /** Rebuilds the open blocks from the log. Called once, before the committer runs. */
    public void recover() {
        Recovery recovery = new Recovery(new LoggedStreams(this, streams, upkeep));
        store.recover(recovery);
        recovery.finish();
        streams.inOrder().forEach(log -> {
            log.recoveryFinished();
            upkeep.recovered(log);
        });
        store.read(reads -> {
            upkeep.start(reads);
            return true;
        });
    }

    private StreamLog loadedFrom(StreamRow row) {
        StreamLog log = new StreamLog(this, row);
        upkeep.loaded(log);
        return log;
    }

    /** The stream that has this name as this batch sees it, or null. Committer's thread. */
    @Nullable
    StreamLog find(CommitScope scope, String tenant, String name) {
        return streams.find(scope, tenant, name);
    }

    /** The stream of this key as this batch sees it, or null. Committer's thread. */
    @Nullable
    StreamLog find(CommitScope scope, long key) {
        return streams.find(scope, key);
    }

    /**
     * The stream of this name as this batch sees it. Committer's thread.
     *
     * @throws StreamNotFound if there is none, or it expired
     */
    StreamLog require(CommitScope scope, String tenant, String name) {
        StreamLog log = find(scope, tenant, name);
        if (log == null || log.expired(scope.now())) {
            throw new StreamNotFound(name);
        }
        return log;
    }

    Creation creation() {
        return creation;
    }

    /** The same stream, loaded anew if it was evicted from memory. Committer's thread. */
    StreamLog current(CommitScope scope, StreamLog log) {
        if (!log.attached().evicted()) {
            return log;
        }
        StreamLog found = find(scope, log.key());
        if (found == null) {
            throw new StreamNotFound(log.name());
        }
        return found;
    }

    /** What {@link #open} did; the writer may be used once the command's commit is through. */
    public static final class Opened {
        private final StreamEngine engine;
        private final StreamLog log;
        private final long epoch;
        private final boolean created;

        private Opened(StreamEngine engine, StreamLog log, boolean created) {
            this.engine = engine;
            this.log = log;
            this.epoch = log.currentRow().epoch();
            this.created = created;
        }

        public long key() {
            return log.key();
        }

        public boolean created() {
            return created;
        }

        /** A writer with the epoch of this opening. */
        public StreamWriter writer() {
            return new StreamWriter(engine, log, epoch);
        }
    }

    /**
     * Opens a stream inside a command: creates it, or finds it live.
     *
     * @param owner key of the session it belongs to, or 0
     * @param takeOver whether to fence the writers it has now
     * @throws StreamClosed if it is settled
     * @throws StreamConflict if it is live with another tag or content type
     */
    public Opened open(
            CommitScope scope, String tenant, String name, StreamOptions options, long owner, boolean takeOver) {
        Creation.Found found = creation.open(scope, tenant, name, options, owner, takeOver);
        return new Opened(this, found.log(), found.created());
    }

    /** Fences the present writers of a live stream inside a command; empty if it is gone or settled. */
    public Optional<Opened> takeOver(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        if (log == null || log.currentRow().state() != StreamRow.State.LIVE) {
            return Optional.empty();
        }
        RowChanges.takeOver(scope, log);
        return Optional.of(new Opened(this, log, false));
    }

    /** The tail of a stream as this command sees it; empty if it is gone. */
    public OptionalLong tail(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        return log == null ? OptionalLong.empty() : OptionalLong.of(log.currentTail());
    }

    /**
     * Settles the stream of this key inside a command.
     *
     * @param epoch the writer's epoch, or 0 for any
     * @return what was done; a stream that is settled already is told so and left alone
     * @throws StreamNotFound if it is gone
     */
    public SettleResult settle(CommitScope scope, long key, long epoch, Settlement settlement) {
        StreamLog log = find(scope, key);
        if (log == null) {
            throw new StreamNotFound("#" + key);
        }
        return settle(scope, log, epoch, settlement);
    }

    SettleResult settle(CommitScope scope, StreamLog log, long epoch, Settlement settlement) {
        StreamRow row = log.currentRow();
        if (row.state() != StreamRow.State.LIVE) {
            return new SettleResult(false, Rows.stateOf(row), log.currentTail());
        }
        log.checkWritable(scope, epoch);
        return Endings.settle(scope, log, settlement, forks);
    }

    /** Discards the stream of this key, in any state, inside a command. Returns whether it was there. */
    public boolean discard(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        if (log == null) {
            return false;
        }
        discard(scope, log);
        return true;
    }

    void discard(CommitScope scope, StreamLog log) {
        Endings.discard(scope, log, forks);
    }

    /** The durable tail of the stream of this key; empty if it is gone. Any thread. */
    public OptionalLong tailOf(long key) {
        return committer.execute(new Command<OptionalLong>() {
            @Override
            protected OptionalLong decide(CommitScope scope) {
                return tail(scope, key);
            }
        });
    }

    /** A writer on the stream of this key with its present epoch, fencing nobody; empty if it is gone. Any thread. */
    public Optional<StreamWriter> writerOf(long key) {
        return committer.execute(new Command<Optional<StreamWriter>>() {
            @Override
            protected Optional<StreamWriter> decide(CommitScope scope) {
                return Optional.ofNullable(find(scope, key))
                        .map(log -> new StreamWriter(
                                StreamEngine.this, log, log.currentRow().epoch()));
            }
        });
    }

    /** A new key for a stream or session. Committer's thread. */
    public long nextKey(CommitScope scope) {
        return keys.next(scope);
    }

    /**
     * Attaches a reader; empty if there is no such stream. The caller must leave again. Any thread.
     *
     * @throws Closed if this engine was closed: nobody would tell the reader of anything
     */
    Optional<StreamLog> attach(String tenant, String name) {
        if (closed) {
            throw new Closed(
                    "Nothing more is told here of stream \"%s\": Holdfast was closed, or it is another node's now."
                            .formatted(name));
        }
        while (true) {
            StreamLog log = following == null
                    ? known(tenant, name).or(() -> load(tenant, name)).orElse(null)
                    : following.attach(tenant, name).orElse(null);
            if (log == null) {
                return Optional.empty();
            }
            if (following == null && !log.attached().enter()) {
                continue; // evicted between the look-up and here
            }
            long now = time.wallMillis();
            if (log.view().gone() || log.expired(now)) {
                leave(log);
                if (following == null) {
                    upkeep.expireSoon(log, now);
                }
                return Optional.empty();
            }
            touch(log, now);
            return Optional.of(log);
        }
    }

    void touch(StreamLog log, long now) {
        log.life().touch(now);
        Far far = neighbours.far();
        if (far == null) {
            upkeep.touched(log, now);
        } else if (log.life().tell(now, log.view().row().ttlMillis())) {
            committer.apart().execute(() -> tellOfUse(far, log));
        }
    }

    private static void tellOfUse(Far far, StreamLog log) {
        try {
            Boolean unused = far.ask(new StreamCalls.Touch(log.tenant(), log.name()));
        } catch (HoldfastException e) { // it is gone, or the next use tells
            LOG.debug("The writer of stream \"{}\" was not told of its use: {}", log.name(), e.getMessage());
        }
    }

    void leave(StreamLog log) {
        boolean last = log.attached().leave() == 0;
        if (last && following != null) {
            following.left(log);
        } else if (last && log.view().gone()) {
            upkeep.lingerEnded(log);
        }
    }

    /**
     * A stream that is not in memory. Once nothing is written any more it is read past the committer: a stream that is not in memory is wholly
     * described by its row and blocks, and nothing will change it (FAIL-STOP leaves reads alone). By then it may have come into memory.
     */
    private Optional<StreamLog> load(String tenant, String name) {
        if (following != null) {
            return following.view(tenant, name);
        }
        try {
            return committer.execute(new Load(tenant, name));
        } catch (StorePoisoned e) {
            return streams.named(tenant, name)
                    .or(() -> store.read(reads -> reads.stream(tenant, name))
                            .filter(row -> !row.state().isGone())
                            .map(row -> new StreamLog(this, row)));
        }
    }

    /** Loads a stream into memory for readers. */
    private final class Load extends Command<Optional<StreamLog>> {
        private final String tenant;
        private final String name;

        Load(String tenant, String name) {
            this.tenant = tenant;
            this.name = name;
        }

        @Override
        protected Optional<StreamLog> decide(CommitScope scope) {
            return Optional.ofNullable(find(scope, tenant, name));
        }
    }

    /** Ends the waits of all readers; they are told {@code Closed}. Called once, after the committer was closed. */
    public void close() {
        closed = true;
        streams.all().forEach(log -> log.attached().wake());
    }

    boolean isClosed() {
        return closed;
    }

    /** The stream in memory, where it is certain to be up to date. Any thread. */
    private Optional<StreamLog> known(String tenant, String name) {
        return following == null ? streams.named(tenant, name) : Optional.empty();
    }

    /** The stream, loaded if it is not in memory, without attaching to it. Any thread. */
    Optional<StreamLog> look(String tenant, String name) {
        return known(tenant, name)
                .or(() -> load(tenant, name))
                .filter(log -> !log.view().gone() && !log.expired(time.wallMillis()));
    }

    /** What memory knows better than the stream's row, if anything. Any thread. */
    Optional<StreamLog> loaded(String tenant, String name) {
        return following == null ? streams.named(tenant, name) : following.view(tenant, name);
    }

    /** A stream's staged changes were committed: updates the tables. Committer's thread. */
    void applied(
            StreamLog log,
            StoreTransaction.Receipt receipt,
            boolean created,
            boolean gone,
            long heldBefore,
            boolean emptyBefore,
            long positionBefore) {
        if (gone) {
            streams.notCreated(log);
            streams.forget(log);
        } else if (created) {
            streams.created(log);
        }
        upkeep.applied(log, receipt, gone, heldBefore, emptyBefore, positionBefore);
    }

    /** A stream's staged changes were dropped. Committer's thread. */
    void dropped(StreamLog log) {
        streams.notCreated(log);
    }

    /**
     * Forgets a stream that nobody uses and that its row describes. One that expired stays until it is discarded: its row has a later deadline,
     * by which it would come back. One that was used stays until its row knows. Committer's thread. Returns whether it could.
     */
    boolean evict(StreamLog log) {
        boolean needed = !log.open().isEmpty()
                || log.view().gone()
                || log.expired(time.wallMillis())
                || log.life().outlives(log.committedRow());
        if (needed || !log.attached().tryEvict()) {
            return false;
        }
        streams.forget(log);
        return true;
    }

    /** A look at what is in memory, for tests. */
    public Inspection inspection() {
        return new Inspection(this, streams);
    }

    /**
     * A picture of the committed state in memory of the streams that have unsealed chunks, for comparing with a fresh rebuild; of the others
     * see {@link Inspection#twins}. Only while the committer stands still.
     */
    public List<String> describe() {
        return streams.inOrder().stream()
                .filter(log -> !log.open().isEmpty())
                .map(StreamLog::describe)
                .toList();
    }
}
