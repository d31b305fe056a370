package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one store in memory, and the operations on them that a command can combine into one transaction.
 *
 * <p>For Holdfast's own packages: sessions and turns use it to write messages, feeds and streams together. Applications use
 * {@link Streams}.
 *
 * <p><b>Who owns what.</b> The tables of streams are changed by the committer's thread alone. Readers find a stream through a concurrent map
 * and then look only at its published view. A stream is in memory while it has unsealed chunks, readers, or was used lately; any other is
 * loaded from its row on demand, which is exact because a stream without unsealed chunks is wholly described by its row and blocks.
 */
public final class StreamEngine {

    /** Keys reserved from the store at once. */
    private static final int KEYS_PER_RESERVATION = 256;

    record Name(String tenant, String name) {}

    private final Store store;
    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private final StreamLimits limits;
    private final BlockCache blocks;
    private final Upkeep upkeep;

    private final ConcurrentHashMap<Name, StreamLog> byName = new ConcurrentHashMap<>();
    private volatile boolean closed;

    // Below: the committer's thread.
    private final Map<Long, StreamLog> byKey = new HashMap<>();
    private final Map<Name, StreamLog> opening = new HashMap<>();
    private final Keys keys = new Keys();

    public StreamEngine(Store store, Committer committer, Time time, Timers timers, StreamLimits limits) {
        this.store = store;
        this.committer = committer;
        this.time = time;
        this.timers = timers;
        this.limits = limits;
        this.blocks = new BlockCache(store);
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

    /** Rebuilds the open blocks from the log. Called once, before the committer runs. */
    public void recover() {
        Recovery recovery = new Recovery(new LoggedStreams());
        store.recover(recovery);
        recovery.finish();
        byKey.values().forEach(log -> {
            log.recoveryFinished();
            upkeep.recovered(log);
        });
        store.read(reads -> {
            upkeep.start(reads);
            return true;
        });
    }

    private final class LoggedStreams implements Recovery.Streams {
        @Override
        public List<@Nullable StreamLog> load(List<Long> keys) {
            List<Optional<StreamRow>> rows = keys.isEmpty()
                    ? List.of()
                    : store.read(reads -> keys.stream().map(reads::stream).toList());
            List<@Nullable StreamLog> logs = new ArrayList<>();
            for (Optional<StreamRow> row : rows) {
                logs.add(row.filter(r -> r.state() != StreamRow.State.DISCARDED)
                        .map(r -> register(new StreamLog(StreamEngine.this, r)))
                        .orElse(null));
            }
            return logs;
        }

        @Override
        public void logged(LogEntry entry) {
            upkeep.logged(entry.position(), entry.bytes());
        }
    }

    private StreamLog register(StreamLog log) {
        byKey.put(log.key(), log);
        byName.put(new Name(log.tenant(), log.name()), log);
        return log;
    }

    /**
     * The stream that has this name as this batch sees it, or null. Committer's thread.
     */
    @Nullable
    StreamLog find(CommitScope scope, String tenant, String name) {
        Name id = new Name(tenant, name);
        StreamLog log = opening.get(id);
        if (log == null) {
            log = byName.get(id);
            if (log == null) {
                log = scope.reads().stream(tenant, name)
                        .map(row -> byKeyOr(row))
                        .orElse(null);
            }
        }
        return log == null || log.currentlyGone() ? null : log;
    }

    private StreamLog byKeyOr(StreamRow row) {
        StreamLog known = byKey.get(row.key());
        if (known != null) {
            return known;
        }
        StreamLog loaded = register(new StreamLog(this, row));
        upkeep.loaded(loaded);
        return loaded;
    }

    /** The stream of this key as this batch sees it, or null. Committer's thread. */
    @Nullable
    StreamLog find(CommitScope scope, long key) {
        StreamLog log = byKey.get(key);
        if (log == null) {
            for (StreamLog created : opening.values()) {
                if (created.key() == key) {
                    log = created;
                }
            }
        }
        if (log == null) {
            log = scope.reads().stream(key)
                    .filter(row -> row.state() != StreamRow.State.DISCARDED)
                    .map(this::byKeyOr)
                    .orElse(null);
        }
        return log == null || log.currentlyGone() ? null : log;
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

    StreamLog openLog(
            CommitScope scope, String tenant, String name, StreamOptions options, long owner, boolean takeOver) {
        StreamLog log = find(scope, tenant, name);
        if (log != null && log.expired(scope.now())) {
            log.discard(scope);
            log = null;
        }
        if (log == null) {
            log = create(scope, tenant, name, options, owner);
            return log;
        }
        checkSame(log.currentRow(), options);
        StreamRow row = log.currentRow();
        if (row.state() != StreamRow.State.LIVE) {
            throw new StreamClosed(
                    name, row.state() == StreamRow.State.COMPLETED ? "completed" : "errored", log.currentTail());
        }
        if (takeOver) {
            log.takeOver(scope);
        }
        return log;
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
        boolean existed = find(scope, tenant, name) != null;
        StreamLog log = openLog(scope, tenant, name, options, owner, takeOver);
        return new Opened(this, log, !existed);
    }

    /** Fences the present writers of a live stream inside a command; empty if it is gone or settled. */
    public Optional<Opened> takeOver(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        if (log == null || log.currentRow().state() != StreamRow.State.LIVE) {
            return Optional.empty();
        }
        log.takeOver(scope);
        return Optional.of(new Opened(this, log, false));
    }

    /** The tail of a stream as this command sees it; empty if it is gone. */
    public OptionalLong tail(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        return log == null ? OptionalLong.empty() : OptionalLong.of(log.currentTail());
    }

    private StreamLog create(CommitScope scope, String tenant, String name, StreamOptions options, long owner) {
        long now = scope.now();
        long ttl = options.ttl() == null ? 0 : options.ttl().toMillis();
        long deadline = ttl > 0
                ? Expiries.persistedDeadline(now, ttl)
                : options.expiresAt() == null ? 0 : options.expiresAt().toEpochMilli();
        StreamRow row = new StreamRow(
                keys.next(scope),
                tenant,
                name,
                time.randomLong(),
                owner,
                StreamRow.State.LIVE,
                null,
                options.tag(),
                options.contentType() == null ? StreamOptions.DEFAULT_CONTENT_TYPE : options.contentType(),
                options.metadata(),
                now,
                now,
                0,
                1,
                0,
                0,
                0,
                now,
                ttl,
                deadline,
                new byte[0]);
        StreamLog log = new StreamLog(this, row);
        log.create(scope);
        opening.put(new Name(tenant, name), log);
        return log;
    }

    private static void checkSame(StreamRow row, StreamOptions wanted) {
        if (wanted.tag() != null && !wanted.tag().equals(row.tag())) {
            throw new StreamConflict(
                    "Stream \"%s\" is live with the tag %s, not \"%s\". Use its tag, or none, or another name."
                            .formatted(
                                    row.name(), row.tag() == null ? "(none)" : "\"" + row.tag() + "\"", wanted.tag()));
        }
        if (wanted.contentType() != null && !wanted.contentType().equals(row.contentType())) {
            throw new StreamConflict(
                    "Stream \"%s\" is live with content type %s, not %s. Use that one, or another name."
                            .formatted(row.name(), row.contentType(), wanted.contentType()));
        }
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
        return log.settle(scope, settlement);
    }

    /** Discards the stream of this key, in any state, inside a command. Returns whether it was there. */
    public boolean discard(CommitScope scope, long key) {
        StreamLog log = find(scope, key);
        if (log == null) {
            return false;
        }
        log.discard(scope);
        return true;
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

    /** Attaches a reader; empty if there is no such stream. The caller must leave again. Any thread. */
    Optional<StreamLog> attach(String tenant, String name) {
        while (true) {
            StreamLog log = byName.get(new Name(tenant, name));
            if (log == null) {
                log = load(tenant, name).orElse(null);
                if (log == null) {
                    return Optional.empty();
                }
            }
            if (!log.attached().enter()) {
                continue; // evicted between the look-up and here
            }
            long now = time.wallMillis();
            if (log.view().gone() || log.expired(now)) {
                leave(log);
                upkeep.expireSoon(log, now);
                return Optional.empty();
            }
            touch(log, now);
            return Optional.of(log);
        }
    }

    void touch(StreamLog log, long now) {
        log.touch(now);
        upkeep.touched(log, now);
    }

    void leave(StreamLog log) {
        if (log.attached().leave() == 0 && log.view().gone()) {
            upkeep.lingerEnded(log);
        }
    }

    /**
     * A stream that is not in memory. Once nothing is written any more it is read past the committer: a stream that is not in memory is wholly
     * described by its row and blocks, and nothing will change it (FAIL-STOP leaves reads alone).
     */
    private Optional<StreamLog> load(String tenant, String name) {
        try {
            return committer.execute(new Load(tenant, name));
        } catch (StorePoisoned e) {
            return store.read(reads -> reads.stream(tenant, name)).map(row -> new StreamLog(this, row));
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
        byName.values().forEach(log -> log.attached().wake());
    }

    boolean isClosed() {
        return closed;
    }

    /** The stream, loaded if it is not in memory, without attaching to it. Any thread. */
    Optional<StreamLog> look(String tenant, String name) {
        Optional<StreamLog> found = loaded(tenant, name);
        if (found.isEmpty()) {
            found = load(tenant, name);
        }
        return found.filter(log -> !log.view().gone() && !log.expired(time.wallMillis()));
    }

    /** The stream in memory, if it is there. Any thread. */
    Optional<StreamLog> loaded(String tenant, String name) {
        return Optional.ofNullable(byName.get(new Name(tenant, name)));
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
        if (created) {
            opening.remove(new Name(log.tenant(), log.name()), log);
            if (!gone) {
                register(log);
            }
        }
        if (gone) {
            byKey.remove(log.key(), log);
            byName.remove(new Name(log.tenant(), log.name()), log);
        }
        upkeep.applied(log, receipt, gone, heldBefore, emptyBefore, positionBefore);
    }

    /** A stream's staged changes were dropped. Committer's thread. */
    void dropped(StreamLog log) {
        opening.remove(new Name(log.tenant(), log.name()), log);
    }

    /**
     * Forgets a stream that nobody uses and that its row describes. One that expired stays until it is discarded: its row has a later deadline,
     * by which it would come back. Committer's thread. Returns whether it could.
     */
    boolean evict(StreamLog log) {
        boolean needed = !log.open().isEmpty() || log.view().gone() || log.expired(time.wallMillis());
        if (needed || !log.attached().tryEvict()) {
            return false;
        }
        byKey.remove(log.key(), log);
        byName.remove(new Name(log.tenant(), log.name()), log);
        return true;
    }

    /** A picture of the committed state in memory, for comparing with a fresh rebuild. Only while the committer stands still. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        byKey.values().stream()
                .filter(log -> !log.open().isEmpty())
                .sorted((a, b) -> Long.compare(a.key(), b.key()))
                .forEach(log -> lines.add(log.describe()));
        return lines;
    }

    /** Hands out keys in the order of their reservation; a reservation that is rolled back is forgotten. */
    private static final class Keys implements CommitScope.Staged {
        private long next;
        private long end;
        private long committedEnd;
        private boolean staged;

        long next(CommitScope scope) {
            if (next == end) {
                next = scope.writes().reserveKeys(KEYS_PER_RESERVATION);
                end = next + KEYS_PER_RESERVATION;
                if (!staged) {
                    staged = true;
                    scope.stage(this);
                }
            }
            return next++;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            staged = false;
            committedEnd = end;
        }

        @Override
        public void discard() {
            staged = false;
            next = committedEnd;
            end = committedEnd;
        }
    }
}
