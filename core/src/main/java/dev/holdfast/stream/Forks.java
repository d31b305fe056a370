package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Streams that begin with the chunks of another one. Committer's thread.
 *
 * <p>A fork reads the source's <i>sealed</i> blocks where they are, and gets copies of what is not sealed yet. So a fork costs no more than an
 * open block, whatever the source's length; and nothing that the source does later concerns it.
 *
 * <p>The source counts its forks. While there is one, the source's blocks stay, also when the source is trimmed, deleted or expired; in the
 * latter cases its row and name stay as well, and the end of its last fork ends it for good, and so on up the chain.
 */
final class Forks {

    private final StreamEngine engine;
    private final LoadedStreams streams;

    Forks(StreamEngine engine, LoadedStreams streams) {
        this.engine = engine;
        this.streams = streams;
    }

    /**
     * What a new fork starts with.
     *
     * @param source the stream it branches off
     * @param lineage where its inherited chunks lie
     * @param boundary all below is inherited, or trimmed
     * @param copies what it gets as its own first chunks, from {@code boundary} on
     * @param sealedBytes payload of all chunks below {@code boundary}
     * @param oldestAt when the newest chunk of its oldest block was appended, wall clock, ms; 0 if it inherits no block
     */
    record Plan(
            StreamLog source, Lineage lineage, long boundary, List<byte[]> copies, long sealedBytes, long oldestAt) {}

    /** Checks a fork and works out what it starts with; writes nothing, so a fork that is refused holds nothing. */
    Plan plan(CommitScope scope, String tenant, Fork wanted) {
        StreamLog source = source(scope, tenant, wanted.source());
        StreamRow row = source.currentRow();
        if (source.lineage().depth() >= StreamLimits.MAX_FORK_DEPTH) {
            throw new LimitExceeded(
                    "MAX_FORK_DEPTH",
                    StreamLimits.MAX_FORK_DEPTH,
                    source.lineage().depth() + 1L,
                    "fork a stream that is nearer to the first one");
        }
        long at = wanted.at().orElse(source.currentTail());
        checkWithin(source, at, wanted);
        boolean cutsChunk = wanted.unit() == Fork.Unit.BYTES && wanted.past() > 0;
        long whole = cutsChunk ? at : at + wanted.past();
        long boundary = Math.max(row.firstSeq(), Math.min(whole, source.open().from()));
        List<byte[]> copies = new ArrayList<>(source.unsealed(boundary, whole));
        if (cutsChunk) {
            copies.add(firstPart(source, at, wanted.past()));
        }
        Lineage lineage = source.lineage()
                .fork(source.key(), row.firstSeq(), boundary, new Lineage.Point(at, wanted.past(), wanted.unit()));
        long bytes = bytesBelow(scope, source, boundary);
        return new Plan(source, lineage, boundary, copies, bytes, oldestAt(scope, lineage, row.firstSeq()));
    }

    private StreamLog source(CommitScope scope, String tenant, String name) {
        if (!engine.isHome(tenant, name)) {
            throw new StreamConflict(
                    ("Stream \"%s\" lives in another shard than the fork would, and cannot share its blocks. "
                                    + "Give both names the same part in braces, as in {plan}/a and {plan}/b.")
                            .formatted(name));
        }
        StreamLog source;
        try {
            source = streams.find(scope, tenant, name);
        } catch (StreamGone e) {
            throw new StreamConflict("Stream \"%s\" was deleted and cannot be forked any more.".formatted(name));
        }
        if (source == null || source.expired(scope.now())) {
            throw new StreamNotFound(name);
        }
        if (source.currentRow().owner() != 0) {
            throw new StreamConflict(
                    "Stream \"%s\" belongs to a session, ends with it, and cannot be forked. Copy its chunks instead."
                            .formatted(name));
        }
        return source;
    }

    private static void checkWithin(StreamLog source, long at, Fork wanted) {
        long tail = source.currentTail();
        long first = source.currentRow().firstSeq();
        if (at < 0 || wanted.past() < 0) {
            throw new InvalidArgument("A fork's position and the distance past it are not negative.");
        }
        if (at < first) {
            throw new CursorTooOld(source.name(), at, first);
        }
        boolean beyond = wanted.unit() == Fork.Unit.CHUNKS
                ? at > tail || wanted.past() > tail - at
                : at > tail || (at == tail && wanted.past() > 0);
        if (beyond) {
            throw new InvalidArgument(
                    "A fork of \"%s\" begins at or before its tail, which is %d; position %d and %d %s past it lies beyond."
                            .formatted(
                                    source.name(),
                                    tail,
                                    at,
                                    wanted.past(),
                                    wanted.unit() == Fork.Unit.CHUNKS ? "chunks" : "bytes"));
        }
    }

    private byte[] firstPart(StreamLog source, long seq, long bytes) {
        byte[] chunk = seq >= source.open().from()
                ? source.unsealed(seq, seq + 1).getFirst()
                : block(source, seq).chunk(seq).toByteArray();
        if (bytes > chunk.length) {
            throw new InvalidArgument("Chunk %d of \"%s\" has %d bytes; a fork cannot begin %d bytes into it."
                    .formatted(seq, source.name(), chunk.length, bytes));
        }
        return Arrays.copyOf(chunk, (int) bytes);
    }

    private BlockCache.Decoded block(StreamLog source, long seq) {
        return engine.blocks()
                .find(source.lineage().keyOf(seq, source.key()), seq)
                .orElseThrow(() ->
                        new StoreDamaged("Stream \"%s\" has no block for its chunk %d. Restore the store from a backup."
                                .formatted(source.name(), seq)));
    }

    /** Payload of all chunks below a position that there ever were. */
    private long bytesBelow(CommitScope scope, StreamLog source, long boundary) {
        StreamRow row = source.committedRow();
        if (boundary >= row.sealedTo() || boundary == 0) {
            return boundary == 0 ? 0 : row.retained().sealedBytes();
        }
        long last = boundary - 1;
        List<BlockInfo> infos = scope.reads().blocks(source.lineage().keyOf(last, source.key()), last, 1);
        if (infos.isEmpty()) {
            return 0; // trimmed to a boundary between two blocks: only what is left is ever counted
        }
        BlockInfo info = infos.getFirst();
        if (info.fromSeq() >= boundary) {
            return 0;
        }
        long above = 0;
        if (info.toSeq() > boundary) {
            BlockCache.Decoded decoded = block(source, last);
            for (long seq = boundary; seq < decoded.toSeq(); seq++) {
                above += decoded.size(seq);
            }
        }
        return info.bytesTo() - above;
    }

    private static long oldestAt(CommitScope scope, Lineage lineage, long firstSeq) {
        if (lineage.runs().isEmpty()) {
            return 0;
        }
        List<BlockInfo> oldest = scope.reads().blocks(lineage.runs().getFirst().key(), firstSeq, 1);
        return oldest.isEmpty() ? 0 : oldest.getFirst().lastAt();
    }

    /** A fork of this stream was made. */
    void hold(CommitScope scope, StreamLog source) {
        RowChanges.forks(scope, source, source.currentRow().kin().forks() + 1);
    }

    /** A fork of the stream of this key is gone; ends the source for good if it only waited for that, and so on up the chain. */
    void release(CommitScope scope, long sourceKey) {
        long key = sourceKey;
        while (key != 0) {
            StreamLog live = streams.find(scope, key);
            if (live != null) {
                RowChanges.forks(scope, live, live.currentRow().kin().forks() - 1);
                return;
            }
            StreamRow row = deleted(scope, key);
            long left = row.kin().forks() - 1;
            Rows.Edit edit = Rows.edit(row).forks(left);
            if (left > 0) {
                scope.writes().updateStream(edit.row());
                return;
            }
            scope.writes()
                    .updateStream(edit.state(StreamRow.State.DISCARDED)
                            .updatedAt(scope.now())
                            .row());
            scope.stage(new Ended(key));
            key = row.kin().source();
        }
    }

    private static StreamRow deleted(CommitScope scope, long key) {
        return scope.reads().stream(key)
                .filter(row -> row.state() == StreamRow.State.DELETED)
                .orElseThrow(() -> new StoreDamaged(
                        "Stream key %d is gone, but a stream that was forked from it is not. Restore the store from a backup."
                                .formatted(key)));
    }

    /** A stream whose last fork is gone, to be deleted. */
    private final class Ended implements CommitScope.Staged {
        private final long key;

        Ended(long key) {
            this.key = key;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            engine.upkeep().ended(key);
        }

        @Override
        public void discard() {}
    }
}
