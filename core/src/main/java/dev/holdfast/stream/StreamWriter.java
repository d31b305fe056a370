package dev.holdfast.stream;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Shards;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Appends to one live stream. Every method that returns normally has made its effect durable (VISIBLE-IS-DURABLE); every future completes
 * only then. Appends of one writer are stored in the order in which they were submitted.
 *
 * <p>A writer holds the stream's epoch of the moment it was opened. Once another writer {@linkplain Streams#takeOver took over}, each of its
 * appends is refused with {@code StaleEpoch} (ONE-WRITER). Writers opened without a take-over share the epoch: they all may append.
 *
 * <p>Thread-safe. Blocking methods may be called from virtual threads. There is nothing to close.
 */
public final class StreamWriter {

    private final Shards<StreamEngine> shards;
    private final long epoch;

    /** Where the stream is; another engine when its shard changed hands, another log when it was dropped from memory and loaded again. */
    private record Place(StreamEngine engine, StreamLog log) {}

    private volatile Place place;

    /** Appends that wait for the node that writes the stream, in bytes. */
    private static final long MAX_FAR_BYTES = 16L << 20;

    private static final int FAR_OVERHEAD_BYTES = 128;

    private CompletableFuture<?> lastFar = CompletableFuture.completedFuture(null); // guarded by this
    private volatile long farBytes; // written under this

    StreamWriter(StreamEngine engine, StreamLog log, long epoch) {
        this(Shards.only(engine), engine, log, epoch);
    }

    StreamWriter(Shards<StreamEngine> shards, StreamEngine engine, StreamLog log, long epoch) {
        this.shards = shards;
        this.place = new Place(engine, log);
        this.epoch = epoch;
    }

    /** Makes a call where the stream is; once more elsewhere if its shard changed hands, and refusals from memory that may be old are none. */
    private <R> R on(Function<Place, R> call) {
        return shards.on(place.log().key(), engine -> call.apply(place(engine)));
    }

    private Place place() {
        return place(shards.of(place.log().key()));
    }

    private Place place(StreamEngine now) {
        Place last = place;
        if (now == last.engine()) {
            return last;
        }
        Place found = new Place(now, sameStream(now, last.log()));
        place = found;
        return found;
    }

    private static StreamLog sameStream(StreamEngine engine, StreamLog log) {
        return engine.look(log.tenant(), log.name())
                .filter(found -> found.incarnation() == log.incarnation())
                .orElseThrow(() -> new StreamNotFound(log.name()));
    }

    public String name() {
        return place.log().name();
    }

    /** The epoch this writer writes with. */
    public long epoch() {
        return epoch;
    }

    /** The position after the last durable chunk. */
    public Cursor tail() {
        StreamLog known = on(this::known);
        return new Cursor(known.incarnation(), known.view().tail());
    }

    /** The stream as it stands. */
    public StreamStatus status() {
        return on(this::known).status();
    }

    /** Appends one chunk; the bytes are copied. */
    public AppendResult append(byte[] chunk) {
        return append(AppendRequest.of(List.of(chunk.clone())));
    }

    /** Appends one chunk of text, as UTF-8. */
    public AppendResult append(String chunk) {
        return append(AppendRequest.of(List.of(chunk.getBytes(StandardCharsets.UTF_8))));
    }

    /** Appends chunks together: all are durable or none. The bytes are copied. */
    public AppendResult appendAll(List<byte[]> chunks) {
        List<byte[]> copies = new ArrayList<>(chunks.size());
        for (byte[] chunk : chunks) {
            copies.add(chunk.clone());
        }
        return append(AppendRequest.of(copies));
    }

    /**
     * Appends as asked and waits until it is durable. While too much is queued, the caller waits.
     *
     * @throws HoldfastException.StreamClosed if the stream is settled
     * @throws HoldfastException.StreamNotFound if it was discarded, deleted or expired
     * @throws HoldfastException.StaleEpoch if another writer took over
     * @throws HoldfastException.ProducerGap if the producer skipped an append
     * @throws HoldfastException.StaleProducer if the producer's epoch is not its newest
     * @throws HoldfastException.StreamConflict if the content type is not the stream's
     * @throws HoldfastException.OrderConflict if the order is not greater than the one before
     * @throws HoldfastException.PreconditionFailed if the expected tail is not the tail
     * @throws LimitExceeded if a chunk or the whole is too large; nothing was appended
     */
    public AppendResult append(AppendRequest request) {
        return on(here -> append(here, request));
    }

    private AppendResult append(Place here, AppendRequest request) {
        StreamEngine engine = here.engine();
        Far far = engine.far();
        if (far != null) {
            request.checked(engine.limits());
            return far.ask(new StreamCalls.Write(written(here), request));
        }
        return engine.committer().execute(appendOf(here, request));
    }

    /**
     * Appends without waiting. The future completes after the commit, on a thread of Holdfast's; it fails with the errors of
     * {@link #append(AppendRequest)}. The arrays must not be changed afterwards.
     *
     * @throws HoldfastException.Overloaded at once if too much is queued already
     */
    public CompletableFuture<AppendResult> appendAsync(AppendRequest request) {
        Place here = place();
        StreamEngine engine = here.engine();
        if (engine.far() != null
                || farBytes > 0) { // what waits for another node comes first, although the shard may be here by now
            return appendFar(engine, request);
        }
        Append command = appendOf(here, request);
        CompletableFuture<AppendResult> future = command.future();
        engine.committer().trySubmit(command);
        return future;
    }

    /** One after the other, in the order of the calls, as they are stored here. */
    private synchronized CompletableFuture<AppendResult> appendFar(StreamEngine engine, AppendRequest request) {
        int bytes = request.checked(engine.limits()) + FAR_OVERHEAD_BYTES;
        if (farBytes + bytes > MAX_FAR_BYTES && farBytes > 0) {
            throw new Overloaded(
                    "More than %d bytes wait for the node that writes \"%s\". Try again in a moment, or send less."
                            .formatted(MAX_FAR_BYTES, name()));
        }
        farBytes += bytes;
        CompletableFuture<AppendResult> appended = lastFar.handleAsync(
                (before, failure) -> append(request), engine.committer().apart());
        lastFar = appended.whenComplete((result, failure) -> farDone(bytes));
        return appended.copy();
    }

    private synchronized void farDone(int bytes) {
        farBytes -= bytes;
    }

    /**
     * The position last stored with {@link AppendRequest.Checkpoint} under this name.
     *
     * @throws StreamNotFound if the stream was discarded, deleted or expired
     */
    public OptionalLong checkpoint(String name) {
        return on(here -> checkpoint(here, name));
    }

    private OptionalLong checkpoint(Place here, String name) {
        StreamEngine engine = here.engine();
        Far far = engine.far();
        if (far != null) {
            return far.ask(new StreamCalls.Checkpoint(written(here), name));
        }
        return engine.committer().execute(new Command<OptionalLong>() {
            @Override
            protected OptionalLong decide(CommitScope scope) {
                return current(here, scope).checkpoint(scope, name);
            }
        });
    }

    /**
     * Settles the stream.
     *
     * @throws HoldfastException.CallbackFailed if the commit callback threw; everything was rolled back, the stream is live
     * @throws HoldfastException.StaleEpoch if another writer took over
     */
    public SettleResult settle(Settlement settlement) {
        return on(here -> settle(here, settlement));
    }

    private SettleResult settle(Place here, Settlement settlement) {
        StreamEngine engine = here.engine();
        Settle.check(settlement, engine.limits());
        Far far = engine.far();
        if (far != null) {
            return far.ask(new StreamCalls.SettleWritten(written(here), StreamCalls.Ending.of(settlement)));
        }
        return engine.committer().execute(new Settle(engine, scope -> current(here, scope), epoch, settlement));
    }

    /**
     * Reads what is durable, without waiting.
     *
     * @param from first sequence number wanted
     * @param maxBytes stop before the chunk that would exceed it; at most {@value StreamLimits#MAX_READ_BYTES}
     * @throws HoldfastException.CursorTooOld if the position was trimmed away
     * @throws StreamNotFound if the stream was discarded, deleted or expired
     */
    public ReadBatch read(long from, int maxBytes) {
        return on(here -> read(here, from, maxBytes));
    }

    private ReadBatch read(Place here, long from, int maxBytes) {
        StreamLog known = known(here);
        if (known.view().gone()) {
            throw new StreamNotFound(name()); // whether its blocks are deleted yet must make no difference
        }
        return StreamReader.read(here.engine(), known, from, maxBytes);
    }

    /** The stream as it is known now, loaded again if it was dropped from memory. */
    private StreamLog known(Place here) {
        if (here.engine().far() != null) {
            return sameStream(here.engine(), here.log());
        }
        if (!here.log().attached().evicted()) {
            return here.log();
        }
        return here.engine().committer().execute(new Command<StreamLog>() {
            @Override
            protected StreamLog decide(CommitScope scope) {
                return current(here, scope);
            }
        });
    }

    private StreamCalls.Written written(Place here) {
        StreamLog log = here.log();
        return new StreamCalls.Written(log.tenant(), log.name(), log.incarnation(), epoch);
    }

    private StreamLog current(Place here, CommitScope scope) {
        StreamLog current = here.engine().current(scope, here.log());
        if (current != here.log()) {
            place = new Place(here.engine(), current);
        }
        return current;
    }

    private Append appendOf(Place here, AppendRequest request) {
        return new Append(
                scope -> current(here, scope),
                here.log(),
                epoch,
                request,
                Append.Mode.WRITE,
                here.engine().limits());
    }
}
