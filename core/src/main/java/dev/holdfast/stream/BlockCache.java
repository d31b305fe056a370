package dev.holdfast.stream;

import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.Store;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Sealed blocks, verified and indexed, for readers that fell behind. Bounded in bytes, oldest first out; readers at the same position share
 * one copy. Safe for any thread.
 */
final class BlockCache {

    private record Key(long stream, long fromSeq) {}

    /** A verified block. */
    static final class Decoded {
        private final BlockRow row;
        private final int[] index;

        Decoded(BlockRow row) {
            this.row = row;
            this.index = BlockFormat.index(row);
        }

        long fromSeq() {
            return row.fromSeq();
        }

        long toSeq() {
            return row.toSeq();
        }

        int size(long seq) {
            return index[2 * (int) (seq - row.fromSeq()) + 1];
        }

        Chunk chunk(long seq) {
            int i = 2 * (int) (seq - row.fromSeq());
            return new Chunk(seq, row.body(), index[i], index[i + 1]);
        }

        private long heldBytes() {
            return row.body().length + 4L * index.length;
        }
    }

    private final Store store;
    private final long maxBytes;
    private final ConcurrentSkipListMap<Key, Decoded> blocks =
            new ConcurrentSkipListMap<>(Comparator.comparingLong(Key::stream).thenComparingLong(Key::fromSeq));
    private final ArrayDeque<Key> order = new ArrayDeque<>(); // guarded by this
    private long held; // guarded by this

    BlockCache(Store store, long maxBytes) {
        this.store = store;
        this.maxBytes = maxBytes;
    }

    /** The block that holds {@code seq}, or empty if the store has none. */
    Optional<Decoded> find(long streamKey, long seq) {
        Decoded cached = cached(streamKey, seq);
        if (cached != null) {
            return Optional.of(cached);
        }
        // verified within the read, which takes note of damage
        Optional<Decoded> read = store.read(reads -> reads.block(streamKey, seq).map(Decoded::new));
        read.ifPresent(this::keep);
        return read;
    }

    private @Nullable Decoded cached(long streamKey, long seq) {
        Map.Entry<Key, Decoded> entry = blocks.floorEntry(new Key(streamKey, seq));
        if (entry == null || entry.getKey().stream() != streamKey) {
            return null;
        }
        Decoded block = entry.getValue();
        return seq < block.toSeq() ? block : null;
    }

    private void keep(Decoded block) {
        Key key = new Key(block.row.streamKey(), block.row.fromSeq());
        synchronized (this) {
            if (blocks.putIfAbsent(key, block) == null) {
                order.addLast(key);
                held += block.heldBytes();
                while (held > maxBytes && order.size() > 1) {
                    Decoded oldest = blocks.remove(order.removeFirst());
                    held -= oldest == null ? 0 : oldest.heldBytes();
                }
            }
        }
    }
}
