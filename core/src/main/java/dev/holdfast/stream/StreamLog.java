package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.AppendRecord.ProducerMark;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a stream in memory: the state machine that decides its appends and its outcome.
 *
 * <p>It holds three layers. <i>Committed</i> state equals what a rebuild from disk would give. <i>Staged</i> state is what the running batch
 * adds; decisions look at both, and the staged part is applied after the commit or dropped with it, so no failure can leave memory ahead
 * of the disk. The <i>view</i> is the immutable snapshot that readers see; it is replaced after each commit (VISIBLE-IS-DURABLE).
 *
 * <p>Everything but {@link #view()} and {@link #attached} is confined to the committer's thread.
 */
final class StreamLog implements CommitScope.Staged {

    private final StreamEngine engine;
    private final long key;

    // Committed; the committer's thread.
    private StreamRow row;
    private long tail;
    private long lastAppendAt;
    private OpenBlock open;
    private boolean leavesRows;
    private boolean gone;

    /** On a node that follows the shard: whether chunks are missing that the row tells of. */
    private boolean behind;

    private long version;
    private boolean limitsAge;
    private final Marks marks;
    private final Lineage lineage;

    // Staged by the running batch; the committer's thread.
    private @Nullable Staging staging;

    /** Whether it waits in the engine's queue of streams to seal; the committer's thread. */
    boolean queuedToSeal;

    /** When its open chunks are to be sealed because of their age, wall clock, ms, or 0; the committer's thread. */
    long sealAt;

    private volatile View view;
    private final Readers attached;

    private final Life life;

    StreamLog(StreamEngine engine, StreamRow row) {
        this.engine = engine;
        this.attached = new Readers(engine.committer().apart());
        this.key = row.key();
        this.row = row;
        this.tail = row.sealedTo();
        this.lastAppendAt = row.lastAppendAt();
        this.open = emptyBlock(row);
        this.limitsAge = row.retained().limitsAge();
        this.marks = Marks.decode(row.marks());
        this.lineage = Lineage.decode(row.kin().lineage());
        this.life = new Life(row);
        this.view = snapshot();
    }

    private static OpenBlock emptyBlock(StreamRow row) {
        return new OpenBlock(row.sealedTo(), Retaining.maxSpan(row.retained()));
    }

    long key() {
        return key;
    }

    String name() {
        return row.name();
    }

    String tenant() {
        return row.tenant();
    }

    long incarnation() {
        return row.incarnation();
    }

    View view() {
        return view;
    }

    Readers attached() {
        return attached;
    }

    OpenBlock open() {
        return open;
    }

    Lineage lineage() {
        return lineage;
    }

    /** When its newest chunk was committed. */
    long lastAppendAt() {
        return lastAppendAt;
    }

    /** As the last commit left it. */
    StreamRow committedRow() {
        return row;
    }

    StreamRow currentRow() {
        Staging s = staging;
        return s == null ? row : s.row;
    }

    long currentTail() {
        Staging s = staging;
        return s == null ? tail : s.tail;
    }

    /** Whether readers on other nodes may be behind its end. */
    boolean isFollowed() {
        return engine.isFollowed();
    }

    /** Whether rows of this discarded stream wait for deletion. */
    boolean leavesRows() {
        return leavesRows;
    }

    boolean currentlyGone() {
        Staging s = staging;
        return s == null ? gone : s.gone;
    }

    /** Whether this batch ends it for everyone but its forks. */
    boolean leavesName() {
        Staging s = staging;
        return s != null && s.leavesName;
    }

    /** Whether it is gone, or was told to be: an expired stream that waits for its deletion never comes back. */
    boolean currentlyGone(CommitScope scope) {
        return currentlyGone() || life.over(row, scope.now());
    }

    /** Whether a sliding or fixed deadline passed. Any thread. */
    boolean expired(long now) {
        return life.over(view.row(), now);
    }

    /** Whether it is live and got a chunk (or was opened) after {@code instant}, or does in this batch. */
    boolean busySince(long instant) {
        Staging s = staging;
        return currentRow().state() == StreamRow.State.LIVE
                && (lastAppendAt > instant
                        || (s != null && (s.created || !s.chunks().isEmpty())));
    }

    OptionalLong checkpoint(CommitScope scope, String name) {
        if (currentlyGone(scope)) {
            throw new StreamNotFound(row.name()); // whether it is in memory still must make no difference
        }
        return currentMarks().checkpoint(name);
    }

    Marks.Pending currentMarks() {
        Staging s = staging;
        return s == null ? marks.stage() : s.marks();
    }

    /** What this batch adds, to be added to. */
    Staging staging(CommitScope scope) {
        Staging s = staging;
        if (s == null) {
            s = new Staging(row, tail, open.from(), marks);
            staging = s;
            scope.stage(this);
        }
        return s;
    }

    /** Stages a stream that does not exist yet. */
    void create(CommitScope scope) {
        scope.writes().insertStream(row);
        staging(scope).created = true;
        life.begin(scope.now()); // the deadline in the row is later, for the sake of a restart
    }

    /** See {@link dev.holdfast.store.Command}: what an append reads first. */
    int readAhead() {
        return open.readAhead() + (row.state() == StreamRow.State.LIVE ? 1 : 0) + attached.readAhead();
    }

    /** Checks that chunks may be appended by a writer of this epoch; 0 stands for a writer without a lease. */
    void checkWritable(CommitScope scope, long epoch) {
        StreamRow r = currentRow();
        if (currentlyGone(scope)) {
            throw new StreamNotFound(r.name());
        }
        if (epoch != 0 && epoch != r.epoch()) {
            throw new StaleEpoch(r.name(), epoch, r.epoch());
        }
        if (r.state() != StreamRow.State.LIVE) {
            throw new StreamClosed(
                    r.name(), r.state() == StreamRow.State.COMPLETED ? "completed" : "errored", currentTail());
        }
    }

    /** Appends what {@link AppendRules} let through, and settles the stream if that is asked for. */
    AppendResult append(CommitScope scope, AppendRequest request) {
        AppendResult result = wouldAppend(request);
        write(scope, request);
        if (request.settle()) {
            Producer sender = request.producer();
            if (sender != null) {
                staging(scope).marks().closing(sender);
            }
            Endings.settle(scope, this, StreamState.COMPLETED, null);
            scope.writes().updateStream(staging(scope).row);
        }
        return result;
    }

    /** The answer to an append that {@link AppendRules} let through. */
    AppendResult wouldAppend(AppendRequest request) {
        Producer sender = request.producer();
        return new AppendResult(
                currentTail(),
                currentTail() + request.chunks().size(),
                false,
                request.settle(),
                sender == null ? OptionalLong.empty() : OptionalLong.of(sender.seq()));
    }

    private void write(CommitScope scope, AppendRequest request) {
        Staging s = staging(scope);
        ProducerMark mark = AppendRules.markOf(request);
        String order = request.order();
        if (mark != null) {
            s.marks().put(mark);
        }
        if (order != null) {
            s.marks().order(order);
        }
        if (!request.chunks().isEmpty()) {
            scope.writes().append(new AppendRecord(key, s.row.epoch(), s.tail, request.chunks(), mark, order));
            s.append(request.chunks());
        } else if (!request.settle()) {
            // no chunk will hold the log for the mark's sake, so it goes into the row
            s.row = Rows.edit(s.row).tail(s.tail).marks(s.marks().encode()).row();
            scope.writes().updateStream(s.row);
        }
    }

    /** The chunks from one, inclusive, to another, exclusive, none of which is sealed by a commit; this batch's own ones too. */
    List<byte[]> unsealed(long from, long to) {
        List<byte[]> chunks = new ArrayList<>();
        long committed = Math.min(to, tail);
        if (from < committed) {
            chunks.addAll(open.chunks().copies(from, committed));
        }
        Staging s = staging;
        if (s != null && to > tail) {
            chunks.addAll(s.chunks().subList((int) (Math.max(from, tail) - tail), (int) (to - tail)));
        }
        return chunks;
    }

    @Override
    public void apply(StoreTransaction.Receipt receipt) {
        Staging s = staging;
        if (s == null) {
            throw new AssertionError("nothing is staged for " + name());
        }
        staging = null;
        long heldBefore = open.heldBytes();
        boolean emptyBefore = open.isEmpty();
        long positionBefore = open.oldestPosition();
        boolean blocksToDelete = s.freesBlocks();
        if (s.rowChanged()) {
            limitsAge = s.row.retained().limitsAge();
        }
        row = s.row;
        tail = s.tail;
        gone = s.gone;
        leavesRows = s.leavesRows;
        s.applyMarks();
        if (s.sealedTo > open.from()) {
            open.sealedTo(
                    s.sealedTo); // first, so that what this batch appended does not keep the position of what it sealed
        }
        if (!s.chunks().isEmpty()) {
            lastAppendAt = receipt.committedAt();
            if (row.ttlMillis() > 0) {
                life.touch(lastAppendAt);
            }
            open.add(s.chunks(), receipt.position(), receipt.committedAt());
        }
        if (open.to() != tail) {
            throw new AssertionError("%s: open block ends at %d, tail is %d".formatted(name(), open.to(), tail));
        }
        View before = view;
        version++;
        view = snapshot();
        engine.applied(this, receipt, s.created, s.gone, heldBefore, emptyBefore, positionBefore);
        if (blocksToDelete && !s.gone) {
            engine.upkeep().trimmed(this);
        }
        engine.changed(key);
        if (!engine.listeners().none()) {
            engine.listeners().changed(this, before, s.created);
        }
    }

    /** Whether something of what is kept becomes due by the clock. */
    boolean limitsAge() {
        return limitsAge;
    }

    @Override
    public void discard() {
        staging = null;
        engine.dropped(this);
    }

    @Override
    public void wakeReaders() {
        attached.wake();
    }

    /** At start: takes the chunks of an append. Only what continues the stream is taken; the rest is sealed already. */
    void recovered(LogEntry.Cursor append) {
        marks.recover(append.producer(), append.order());
        if (append.nextSeq() <= tail) {
            return;
        }
        if (append.firstSeq() > tail) {
            throw new StoreDamaged(
                    "The log of stream key %d continues at %d, but %d comes next: log entries are missing. Restore a backup."
                            .formatted(key, append.firstSeq(), tail));
        }
        open.addLogged(append, tail);
        tail = append.nextSeq();
        lastAppendAt = Math.max(lastAppendAt, append.entry().committedAt());
    }

    /** At start, after the whole log was read. */
    void recoveryFinished() {
        if (tail < row.tail()) {
            throw new StoreDamaged(
                    "Stream key %d had %d chunks, but the log and its blocks hold only %d. Restore a backup."
                            .formatted(key, row.tail(), tail));
        }
        life.touch(lastAppendAt);
        version++;
        view = snapshot();
    }

    /**
     * On a node that follows the shard: takes what the writer made of the stream.
     *
     * @param now its row, or empty if that is deleted
     * @param entries its log from {@link View#tail} or its last block on, whichever is later, of the same instant
     * @return whether anything is new
     */
    boolean follow(Optional<StreamRow> now, List<LogEntry> entries) {
        StreamRow before = row;
        long tailBefore = tail;
        row = now.orElse(row);
        gone = now.isEmpty() || row.state().isGone();
        behind = false;
        if (row.sealedTo() > tail) { // what was missed is in blocks by now
            open = emptyBlock(row);
            tail = row.sealedTo();
        } else if (row.sealedTo() > open.from()) {
            open.sealedTo(row.sealedTo());
        }
        LogEntry.Cursor append = new LogEntry.Cursor();
        for (LogEntry entry : entries) {
            append.enter(entry);
            while (append.next()) {
                followed(append);
            }
        }
        // its last chunks are not there any more: whoever has not got them is cut, and not told of an end
        behind = tail < row.tail();
        lastAppendAt = Math.max(lastAppendAt, row.lastAppendAt());
        boolean news =
                now.isEmpty() || tail != tailBefore || !Rows.describe(row).equals(Rows.describe(before));
        if (news) {
            life.touch(Math.max(lastAppendAt, row.updatedAt()));
            version++;
            view = snapshot();
        }
        return news;
    }

    private void followed(LogEntry.Cursor append) {
        if (append.streamKey() == key && append.nextSeq() > tail) {
            long missing = append.nextSeq() - Math.max(tail, append.firstSeq());
            open.reserve(Math.toIntExact(missing), append.encodedBytes());
            recovered(append);
        }
    }

    private View snapshot() {
        StreamState state = behind
                ? StreamState.LIVE
                : switch (row.state()) {
                    case LIVE -> StreamState.LIVE;
                    case COMPLETED -> StreamState.COMPLETED;
                    case ERRORED -> StreamState.ERRORED;
                    case DISCARDED, DELETED -> endOf(row);
                };
        return new View(row, state, row.error(), open.from(), open.chunks(), tail, lastAppendAt, gone, version);
    }

    /** What a stream declared before it was discarded or deleted. */
    private static StreamState endOf(StreamRow row) {
        if (row.closedAt() == 0) {
            return StreamState.LIVE;
        }
        return row.error() == null ? StreamState.COMPLETED : StreamState.ERRORED;
    }

    /** When it was last used. Any thread. */
    Life life() {
        return life;
    }

    /** As an API shows it. */
    StreamStatus status() {
        View v = view;
        return Rows.status(v.row(), v.state(), v.tail(), v.lastAppendAt(), life.deadline(v.row()));
    }

    /** Committed state in one line, for comparing with a rebuild. */
    String describe() {
        return "%s/%s#%d tail=%d appended=%d open=%d..%d marks=%s of=%s row: %s"
                .formatted(
                        tenant(),
                        name(),
                        key,
                        tail,
                        lastAppendAt,
                        open.from(),
                        open.to(),
                        marks.describe(),
                        lineage.runs(),
                        Rows.describe(row));
    }
}
