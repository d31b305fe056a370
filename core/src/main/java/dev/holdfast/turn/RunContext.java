package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.session.Attachment;
import dev.holdfast.session.CompactedHistory;
import dev.holdfast.session.Message;
import dev.holdfast.session.Overlay;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamWriter;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an agent sees of its turn. Once the run is over it refuses everything, so that a late agent writes nothing. */
final class RunContext implements TurnContext {

    private static final Logger LOG = LoggerFactory.getLogger(RunContext.class);

    /** Under which the agent's own position is stored with its chunks. */
    private static final String CHECKPOINT = "agent";

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final TurnRow row;
    private final TurnSession session;
    private final StreamWriter writer;
    private final Runnable progressed;
    private final long prefixTail;
    private final List<Runnable> onStop = new ArrayList<>(); // guarded by this
    private boolean stop; // guarded by this
    private long emittedChunks; // guarded by this; with those of the prefix
    private long emittedBytes; // guarded by this
    private volatile boolean abandoned;
    private volatile boolean ended;

    /**
     * @param progressed told of each chunk
     */
    RunContext(
            TurnRuntime runtime,
            String tenant,
            String sessionId,
            TurnRow row,
            StreamWriter writer,
            Runnable progressed) {
        this.progressed = progressed;
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.row = row;
        this.session = new TurnSession(runtime.sessions(), row);
        this.writer = writer;
        this.prefixTail = row.progress();
        this.emittedChunks = prefixTail;
    }

    String tenant() {
        return tenant;
    }

    TurnRow row() {
        return row;
    }

    @Override
    public String sessionId() {
        return sessionId;
    }

    @Override
    public String turnId() {
        return row.id();
    }

    @Override
    public String messageId() {
        return row.messageId();
    }

    @Override
    public byte[] input() {
        return row.input().clone();
    }

    @Override
    public int attempt() {
        return row.attempts();
    }

    @Override
    public List<Message> history(long maxBytes) {
        return patiently(() -> session.history(maxBytes));
    }

    @Override
    public CompactedHistory conversation(long maxBytes) {
        return patiently(() -> session.conversation(maxBytes));
    }

    @Override
    public Overlay fold(String from, String to, String summary) {
        return patiently(() -> session.fold(from, to, summary));
    }

    @Override
    public Optional<Attachment> attachment(String id) {
        return session.attachments().find(id);
    }

    @Override
    public InputStream openAttachment(String id) {
        return session.attachments().open(id);
    }

    @Override
    public Optional<Message> written() {
        return patiently(() -> session.written());
    }

    @Override
    public List<byte[]> prefix() {
        return patiently(() -> readAll(writer, prefixTail));
    }

    /** All chunks of a stream below {@code tail}. */
    static List<byte[]> readAll(StreamWriter writer, long tail) {
        List<byte[]> chunks = new ArrayList<>();
        for (long at = 0; at < tail; ) {
            ReadBatch batch = writer.read(at, StreamLimits.MAX_READ_BYTES);
            for (Chunk chunk : batch.chunks()) {
                if (chunk.seq() < tail) {
                    chunks.add(chunk.toByteArray());
                }
            }
            at = batch.nextSeq();
        }
        return chunks;
    }

    @Override
    public OptionalLong position() {
        return patiently(() -> writer.checkpoint(CHECKPOINT));
    }

    @Override
    public void emit(List<byte[]> chunks) {
        if (!chunks.isEmpty()) {
            append(AppendRequest.of(List.copyOf(chunks)));
        }
    }

    @Override
    public void emit(List<byte[]> chunks, long position) {
        append(AppendRequest.of(List.copyOf(chunks)).with(new AppendRequest.Checkpoint(CHECKPOINT, position)));
    }

    private void append(AppendRequest request) {
        count(request.chunks());
        AppendResult unused = patiently(() -> writer.append(request));
        progressed.run();
    }

    /**
     * Writes or reads, and waits while the disk is full, or the database is away or held by someone else: such a write was rolled back, so that it
     * may be repeated, and a turn must not fail for what passes by itself. A stop ends the wait.
     */
    <T> T patiently(Supplier<T> work) {
        return patientlyEvenAfterwards(() -> {
            checkRunning();
            return work.get();
        });
    }

    /** The same for what is still right when the turn has ended. */
    <T> T patientlyEvenAfterwards(Supplier<T> work) {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (true) {
            try {
                return work.get();
            } catch (StoreFull | StoreBusy e) {
                if (stopRequested() || runtime.waits().areOver()) {
                    throw e;
                }
                LOG.warn("Turn {} waits {} to go on: {}", row.id(), pause, e.getMessage());
                pause = runtime.waits().pauseAndGrow(pause);
            }
        }
    }

    /** Checks the limits of a turn, before anything is written. */
    private synchronized void count(List<byte[]> chunks) {
        long bytes = emittedBytes;
        for (byte[] chunk : chunks) {
            bytes += chunk.length;
        }
        long count = emittedChunks + chunks.size();
        TurnLimits limits = runtime.limits();
        if (count > limits.maxChunks()) {
            throw new LimitExceeded("maxChunks (of a turn)", limits.maxChunks(), count, "emit larger chunks");
        }
        if (bytes > limits.maxBytes()) {
            throw new LimitExceeded("maxBytes (of a turn)", limits.maxBytes(), bytes, "emit less");
        }
        emittedChunks = count;
        emittedBytes = bytes;
    }

    private void checkRunning() {
        if (ended) {
            throw new StreamClosed(
                    writer.name(), "over for this agent", writer.tail().seq());
        }
    }

    @Override
    public void remember(String name, byte[] value) {
        checkRunning();
        Names.check("name to remember", name);
        if (value.length > TurnLimits.MAX_REMEMBERED_BYTES) {
            throw new LimitExceeded(
                    "MAX_REMEMBERED_BYTES", TurnLimits.MAX_REMEMBERED_BYTES, value.length, "remember less");
        }
        byte[] copy = value.clone();
        boolean unused = patiently(() -> runtime.committer().execute(new Remember(name, copy)));
    }

    @Override
    public Optional<byte[]> recall(String name) {
        String owner = ownerOfRemembered(row.streamKey());
        return patiently(() -> runtime.store().read(reads -> reads.property(owner, name)))
                .map(PropertyRow::value);
    }

    static String ownerOfRemembered(long streamKey) {
        return new PropertyRow.Owner.Stream(streamKey).encoded();
    }

    @Override
    public NestedTurn nest(String session, TurnRequest request) {
        checkRunning();
        return new NestedTurn(runtime, this, session, request.nestedIn(this));
    }

    @Override
    public synchronized boolean stopRequested() {
        return stop;
    }

    @Override
    public boolean isStopped() {
        return !abandoned && stopRequested();
    }

    @Override
    public void onStop(Runnable action) {
        synchronized (this) {
            if (!stop) {
                onStop.add(action);
                return;
            }
        }
        action.run();
    }

    void stop() {
        List<Runnable> actions;
        synchronized (this) {
            if (stop) {
                return;
            }
            stop = true;
            actions = List.copyOf(onStop);
            onStop.clear();
        }
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.warn("An action on the stop of turn {} failed", row.id(), e);
            }
        }
    }

    /** The turn is left to another attempt: the agent has to return, but nothing of its turn ends. */
    void abandon() {
        abandoned = true;
        stop();
        end();
    }

    void end() {
        ended = true;
    }

    /** Keeps a value with the stream, checked against the turn's epoch in the same transaction (ONE-WRITER). */
    private final class Remember extends Command<Boolean> {
        private final String name;
        private final byte[] value;

        Remember(String name, byte[] value) {
            this.name = name;
            this.value = value;
        }

        @Override
        protected int payloadBytes() {
            return value.length;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            TurnRow now = scope.reads()
                    .turn(row.sessionKey(), row.id())
                    .filter(turn ->
                            runtime.streams().tail(scope, row.streamKey()).isPresent())
                    .orElseThrow(() -> new StreamNotFound(writer.name()));
            if (now.epoch() != row.epoch() || now.state().isOutcome()) {
                throw new StaleEpoch(row.id(), row.epoch(), now.epoch());
            }
            String owner = ownerOfRemembered(row.streamKey());
            Optional<PropertyRow> before = scope.reads().property(owner, name);
            if (before.isEmpty()
                    && scope.reads()
                                    .properties(owner, "", "", TurnLimits.MAX_REMEMBERED)
                                    .size()
                            >= TurnLimits.MAX_REMEMBERED) {
                throw new LimitExceeded(
                        "MAX_REMEMBERED", TurnLimits.MAX_REMEMBERED, TurnLimits.MAX_REMEMBERED + 1L, "reuse a name");
            }
            long version = before.map(PropertyRow::version).orElse(0L) + 1;
            scope.writes().putProperty(new PropertyRow(owner, name, version, value, 0));
            return true;
        }
    }
}
