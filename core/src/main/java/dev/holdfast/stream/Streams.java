package dev.holdfast.stream;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Shards;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The streams of one tenant: ordered, append-only, durable logs of chunks that can be read from any position while they grow.
 *
 * <p>A stream is opened, appended to, and settled as completed or errored; a settled stream is kept until it is deleted or expires, or is
 * discarded in the same transaction. A stream opened anew under a name that was discarded is another <i>incarnation</i>; cursors are bound to
 * the incarnation that gave them.
 *
 * <p>A stream can be <i>forked</i>: see {@link Fork}. One that is deleted, discarded or expires while it has forks is gone for everyone, with
 * {@code StreamGone} for an answer, but keeps its name until the last of them is gone.
 *
 * <p>Thread-safe. Methods wait for the disk; call them from virtual threads or threads that may block.
 */
public final class Streams {

    private final Shards<StreamEngine> shards;
    private final String tenant;
    private final Openings openings;

    public Streams(StreamEngine engine, String tenant) {
        this(Shards.only(engine), tenant);
    }

    public Streams(Shards<StreamEngine> shards, String tenant) {
        this.shards = shards;
        this.tenant = tenant;
        this.openings = new Openings(shards, tenant);
    }

    /** Opens a stream with default options: creates it, or goes on with it if it is live. */
    public StreamWriter open(String name) {
        return open(name, StreamOptions.DEFAULTS);
    }

    /**
     * Opens a stream: creates it, or goes on with it if it is live. Idempotent. Writers opened so share the stream's epoch.
     *
     * @throws HoldfastException.StreamClosed if it is settled and kept
     * @throws HoldfastException.StreamConflict if it is live with another tag or content type
     */
    public StreamWriter open(String name, StreamOptions options) {
        return openings.open(name, options, false);
    }

    /** Opens a stream as its only writer: every writer opened before is fenced from this commit on (ONE-WRITER). */
    public StreamWriter takeOver(String name, StreamOptions options) {
        return openings.open(name, options, true);
    }

    /**
     * Goes on with a live stream that must be there, as its only writer: every writer opened before is fenced from this commit on (ONE-WRITER).
     * Where {@link #takeOver} would create a stream, this changes nothing.
     *
     * @throws StreamNotFound if there is no such stream, or it expired
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     * @throws StreamClosed if it is settled and kept
     */
    public StreamWriter resume(String name) {
        return openings.resume(name);
    }

    /**
     * Creates a stream with its first chunks, settled if asked, in one commit. If a stream of this name was created alike, nothing is done:
     * with the same media type (case and parameters do not count), the same time to live or expiry, and settled or not as asked; and with the
     * same tag, if one is given; and forked from the same source at the same point, if it is a fork. One that expired is replaced.
     *
     * @throws HoldfastException.StreamConflict if it exists otherwise; if the name is taken by a stream that is gone but for its forks; if a
     *     fork names another content type than its source has; or if the source is gone but for its forks
     * @throws StreamNotFound if a fork's source does not exist
     * @throws InvalidArgument if a fork's point lies beyond the source's tail, or beyond the end of the chunk that it cuts
     * @throws HoldfastException.CursorTooOld if a fork's point was trimmed away
     * @throws LimitExceeded if a chunk or the whole is too large
     * @throws HoldfastException.Overloaded if too much is queued already
     */
    public CreateResult create(String name, StreamCreation creation) {
        return openings.create(name, creation);
    }

    /**
     * Creates a stream that must not be there yet, and gives its writer: one commit for what {@link #create} and {@link #open(String)} do in two.
     *
     * @throws HoldfastException.StreamConflict if there is a stream of this name, however it was created
     * @throws HoldfastException as {@link #create} would
     */
    public StreamWriter begin(String name, StreamCreation creation) {
        return openings.begin(name, creation);
    }

    /**
     * Appends by name, whoever writes the stream, and waits until it is durable. Counts as use for a sliding expiry, whatever the answer.
     *
     * <p>The checks are made in this order: is it there, is it open, content type, producer, order, expected tail. A settled stream answers
     * with a duplicate only for exactly the append that settled it, or for a request without producer that only settles.
     *
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     * @throws HoldfastException.StreamClosed if it is settled
     * @throws HoldfastException.StreamConflict if the content type is not the stream's
     * @throws HoldfastException.ProducerGap if the producer skipped an append
     * @throws HoldfastException.StaleProducer if the producer's epoch is not its newest
     * @throws HoldfastException.OrderConflict if the order is not greater than the one before
     * @throws HoldfastException.PreconditionFailed if the expected tail is not the tail
     * @throws LimitExceeded if a chunk or the whole is too large
     * @throws HoldfastException.Overloaded at once if too much is queued already
     */
    public AppendResult append(String name, AppendRequest request) {
        return shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.AppendTo(tenant, name, request));
            }
            return tryExecute(
                    engine,
                    new Append(scope -> inUse(engine, scope, name), 0, request, Append.Mode.WRITE, engine.limits()));
        });
    }

    /**
     * Answers as {@link #append} would, and writes nothing.
     *
     * @throws HoldfastException as {@link #append} would
     */
    public AppendResult check(String name, AppendRequest request) {
        return shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.CheckAppend(tenant, name, request));
            }
            return tryExecute(
                    engine,
                    new Append(
                            scope -> engine.require(scope, tenant, name),
                            0,
                            request,
                            Append.Mode.CHECK,
                            engine.limits()));
        });
    }

    private static <R> R tryExecute(StreamEngine engine, Command<R> command) {
        return engine.committer().trySubmit(command).await();
    }

    private StreamLog inUse(StreamEngine engine, CommitScope scope, String name) {
        StreamLog log = engine.require(scope, tenant, name);
        engine.touch(log, scope.now());
        return log;
    }

    /**
     * Counts as use for a sliding expiry. Attaching, reading and appending by name do so already.
     *
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     */
    public void touch(String name) {
        Boolean unused = shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.Touch(tenant, name));
            }
            StreamLog log = engine.look(tenant, name).orElseThrow(() -> new StreamNotFound(name));
            engine.touch(log, engine.time().wallMillis());
            return true;
        });
    }

    /**
     * One bounded read.
     *
     * @param from first sequence number wanted
     * @param maxBytes stop before the chunk that would exceed it; at most {@value StreamLimits#MAX_READ_BYTES}
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     * @throws HoldfastException.CursorTooOld if the position was trimmed away
     * @throws HoldfastException.CursorAhead if the position lies beyond the tail
     */
    public ReadBatch read(String name, long from, int maxBytes) {
        try (StreamReader reader = tail(name, from)) {
            return reader.read(maxBytes);
        }
    }

    /**
     * Attaches a reader at a position. Close it.
     *
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     * @throws InvalidArgument if {@code from} is negative
     */
    public StreamReader tail(String name, long from) {
        if (from < 0) {
            throw new InvalidArgument("A stream is read from position 0 on; got " + from + ".");
        }
        return shards.on(tenant, name, engine -> {
            StreamLog log = engine.attach(tenant, name).orElseThrow(() -> new StreamNotFound(name));
            return new StreamReader(engine, log, from);
        });
    }

    /**
     * Who reads a stream in this process at this moment; nobody where there is no such stream. Cheap: nothing is loaded for it.
     */
    public Audience audience(String name) {
        return shards.on(
                tenant,
                name,
                engine -> engine.loaded(tenant, name)
                        .map(log -> {
                            long tail = log.view().tail();
                            return new Audience(
                                    log.attached().count(),
                                    tail - log.attached().slowest(tail));
                        })
                        .orElse(new Audience(0, 0)));
    }

    /**
     * Attaches a reader at a cursor and says how the cursor stands (EXPLICIT-CURSOR).
     *
     * @param cursor as given by this stream
     */
    public Attach attach(String name, Cursor cursor) {
        return shards.on(tenant, name, engine -> Attaching.attach(engine, tenant, name, cursor));
    }

    /**
     * Tells a listener of every change of this tenant's streams, from some commit on. What changed before is found by {@link #list}: listen
     * first, then list, and nothing is missed.
     *
     * @return what ends it; harmless when run again
     */
    public Runnable listen(StreamListener listener) {
        return shards.all().getFirst().listeners().add(tenant, listener);
    }

    /**
     * The stream as it stands, or empty. Does not count as use for a sliding expiry.
     *
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     */
    public Optional<StreamStatus> status(String name) {
        return shards.on(tenant, name, engine -> engine.look(tenant, name)).map(StreamLog::status);
    }

    /** Streams, newest first; those that were opened in the same millisecond in the order of their creation. */
    public List<StreamStatus> list(StreamListing listing) {
        return StreamLists.page(shards, tenant, listing);
    }

    /**
     * Settles a stream, whoever writes it. If it is settled already, nothing is done, the commit callback does not run, and the answer says
     * so (ONE-OUTCOME).
     *
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     * @throws HoldfastException.CallbackFailed if the commit callback threw; everything was rolled back, the stream is live
     */
    public SettleResult settle(String name, Settlement settlement) {
        return shards.on(tenant, name, engine -> {
            Settle.check(settlement, engine.limits());
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.SettleStream(tenant, name, StreamCalls.Ending.of(settlement)));
            }
            return engine.committer()
                    .execute(new Settle(engine, scope -> engine.require(scope, tenant, name), 0, settlement));
        });
    }

    /**
     * Makes the chunks below a position unreadable. They are deleted in bounded steps afterwards.
     *
     * @return the first position that can be read now
     * @throws StreamNotFound if there is no such stream
     * @throws StreamGone if it is gone, but streams that were forked from it are not
     */
    public long trim(String name, long before) {
        return shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.Trim(tenant, name, before));
            }
            return engine.committer().execute(new Command<Long>() {
                @Override
                protected boolean freesSpace() {
                    return true;
                }

                @Override
                protected Long decide(CommitScope scope) {
                    return RowChanges.trim(scope, engine.require(scope, tenant, name), before);
                }
            });
        });
    }

    /**
     * Deletes a stream in whatever state. Readers attached at this instant still receive every chunk there was. If streams were forked from
     * it, its name stays taken until the last of them is gone.
     *
     * @return false if there was none
     * @throws StreamGone if it is gone already, but streams that were forked from it are not
     */
    public boolean delete(String name) {
        return shards.on(tenant, name, engine -> {
            Far far = engine.far();
            if (far != null) {
                return far.ask(new StreamCalls.DeleteStream(tenant, name));
            }
            return engine.committer().execute(new Command<Boolean>() {
                @Override
                protected boolean freesSpace() {
                    return true;
                }

                @Override
                protected Boolean decide(CommitScope scope) {
                    StreamLog log = engine.find(scope, tenant, name);
                    if (log == null) {
                        return false;
                    }
                    boolean expired = log.expired(scope.now());
                    engine.discard(scope, log);
                    return !expired;
                }
            });
        });
    }

    /**
     * Deletes the streams with a tag that nobody needs any more: the settled ones, and the live ones without a chunk for a while. One that is
     * being appended to is never touched: the age is checked again in the transaction that deletes.
     *
     * @param idleFor how long a live stream must have been without a chunk, usually {@link #ABANDONED_AFTER}
     * @return how many were deleted
     */
    public int reclaim(String tag, Duration idleFor) {
        int reclaimed = 0;
        StreamStatus.Position after = null;
        while (true) {
            List<StreamStatus> page = list(new StreamListing(Set.of(), tag, after, StreamLimits.MAX_PAGE));
            for (StreamStatus status : page) {
                after = status.position();
                long key = status.position().key();
                boolean gone = shards.on(key, engine -> {
                    Far far = engine.far();
                    return far != null
                            ? far.ask(new StreamCalls.ReclaimStream(key, idleFor))
                            : engine.committer().execute(new Reclaim(engine, key, idleFor));
                });
                if (gone) {
                    reclaimed++;
                }
            }
            if (page.size() < StreamLimits.MAX_PAGE) {
                return reclaimed;
            }
        }
    }

    /** A live stream without a chunk for this long counts as abandoned, unless the caller says otherwise. */
    public static final Duration ABANDONED_AFTER = Duration.ofHours(1);
}
