package dev.holdfast.stream;

import dev.holdfast.store.Backoff;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.CommitScope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which streams have unsealed chunks, and when these become blocks.
 *
 * <p>A stream whose open block is full is sealed with the next batch. A settled stream that is kept is sealed at once, so that it holds
 * nothing back. When the log or the memory of all open blocks reaches its limit, streams with old unsealed chunks are sealed early,
 * whatever their size: the one with the oldest, and with it those whose keys follow, as long as their chunks are old as well. A store
 * keeps rows of neighbouring keys on the same pages, so together they write far fewer of these than each at its own time. Streams that were
 * sealed together grow old together, so in the long run this is the order of age. Only committed chunks are sealed.
 *
 * <p>Confined to the committer's thread.
 */
final class Sealing {

    private static final int MAX_EARLY_SEALS_PER_BATCH = 1024;

    /** Neighbours are sealed early only within this part of the log, from its oldest entry on. */
    private static final int OLD_PART = 2;

    private record Held(long position, long key) {}

    private final RetainedLog retained;
    private final StreamLimits limits;
    private final Backoff backoff;

    /** Streams with unsealed chunks, by the log position of their oldest one. */
    private final TreeMap<Held, StreamLog> held =
            new TreeMap<>(Comparator.comparingLong(Held::position).thenComparingLong(Held::key));

    /** The same streams, by their keys. */
    private final TreeMap<Long, StreamLog> heldByKey = new TreeMap<>();

    private final ArrayDeque<StreamLog> toSeal = new ArrayDeque<>();
    private long openBytes;

    Sealing(RetainedLog retained, StreamLimits limits, Backoff backoff) {
        this.retained = retained;
        this.limits = limits;
        this.backoff = backoff;
    }

    /** Memory of all unsealed chunks. */
    long openBytes() {
        return openBytes;
    }

    /** The log position below which no stream has an unsealed chunk; all entries, if none has one. */
    long unneededTo() {
        return held.isEmpty() ? retained.lastPosition() : held.firstKey().position() - 1;
    }

    /**
     * A stream's open block changed.
     *
     * @param gone whether the stream is discarded, and with it what was open
     * @param heldBefore the block's memory before
     * @param emptyBefore whether it was empty before
     * @param positionBefore the log position of its oldest chunk before
     */
    void changed(StreamLog log, boolean gone, long heldBefore, boolean emptyBefore, long positionBefore) {
        OpenBlock open = log.open();
        boolean holds = !gone && !open.isEmpty();
        if (emptyBefore == holds || (holds && open.oldestPosition() != positionBefore)) {
            if (!emptyBefore) {
                held.remove(new Held(positionBefore, log.key()));
            }
            if (holds) {
                held.put(new Held(open.oldestPosition(), log.key()), log);
                heldByKey.put(log.key(), log);
            } else {
                heldByKey.remove(log.key());
            }
        }
        openBytes += (gone ? 0 : open.heldBytes()) - heldBefore;
        if (!gone) {
            queue(log);
        }
    }

    private void queue(StreamLog log) {
        if (log.open().isFull() || log.view().state() != StreamState.LIVE) {
            queueNow(log);
        }
    }

    /** Looks at a stream's open chunks with the next batch. */
    void queueNow(StreamLog log) {
        if (!log.queuedToSeal && !log.open().isEmpty()) {
            log.queuedToSeal = true;
            toSeal.addLast(log);
        }
    }

    /** The seals that are due, or null. */
    @Nullable
    UpkeepTask due() {
        List<StreamLog> chosen = choose();
        return chosen.isEmpty() ? null : new Seal(chosen);
    }

    private List<StreamLog> choose() {
        boolean pressed = isPressed();
        if (!pressed && toSeal.isEmpty()) {
            return List.of(); // nearly every batch
        }
        Choice choice =
                new Choice(StreamLimits.MAX_SEAL_BYTES_PER_BATCH + (pressed ? 2 * retained.lastEntryBytes() : 0));
        while (choice.hasRoom() && !toSeal.isEmpty()) {
            StreamLog log = toSeal.removeFirst();
            log.queuedToSeal = false;
            if (!log.view().gone() && !log.open().isEmpty()) {
                choice.add(log);
            }
        }
        if (pressed && choice.hasRoomForEarly() && !held.isEmpty()) {
            addOld(choice);
        }
        return choice.chosen;
    }

    /** The stream with the oldest chunk and its neighbours; if there are not enough of them that are old, the next oldest ones. */
    private void addOld(Choice choice) {
        Held oldest = held.firstKey();
        long oldTo = oldest.position() + (retained.lastPosition() - oldest.position()) / OLD_PART;
        int visits = MAX_EARLY_SEALS_PER_BATCH;
        for (StreamLog log : heldByKey.tailMap(oldest.key(), true).values()) {
            if (visits-- == 0 || !choice.hasRoomForEarly()) {
                break;
            }
            if (log.open().oldestPosition() <= oldTo) {
                choice.add(log);
            }
        }
        for (StreamLog log : held.values()) {
            if (!choice.hasRoomForEarly()) {
                break;
            }
            choice.add(log);
        }
    }

    /** Streams that are sealed with one batch. */
    private static final class Choice {
        private final List<StreamLog> chosen = new ArrayList<>();
        private final Set<StreamLog> already = new HashSet<>();
        private long left;

        Choice(long bytes) {
            this.left = bytes;
        }

        boolean hasRoom() {
            return left > 0;
        }

        boolean hasRoomForEarly() {
            return hasRoom() && chosen.size() < MAX_EARLY_SEALS_PER_BATCH;
        }

        void add(StreamLog log) {
            if (already.add(log)) {
                chosen.add(log);
                left -= log.open().payload();
            }
        }
    }

    /** Whether streams must be sealed early: the log or the memory of unsealed chunks reached its limit. */
    private boolean isPressed() {
        return retained.isPressed() || openBytes > limits.maxOpenBytes();
    }

    /** Writes blocks of committed chunks. */
    private final class Seal extends UpkeepTask {
        private final List<StreamLog> logs;

        Seal(List<StreamLog> logs) {
            super(backoff);
            this.logs = logs;
        }

        @Override
        protected boolean freesSpace() {
            return false; // the log behind it is released later
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            boolean pressed = isPressed();
            for (StreamLog log : logs) {
                if (!log.currentlyGone() && !log.open().isEmpty()) {
                    boolean old = log.sealAt > 0 && log.sealAt <= scope.now();
                    seal(scope, log, pressed || old || log.view().state() != StreamState.LIVE);
                    Retaining.trim(scope, log);
                }
            }
            return true;
        }

        /** Cuts the open block into full blocks; with {@code all}, the rest makes a smaller one. */
        private void seal(CommitScope scope, StreamLog log, boolean all) {
            OpenBlock open = log.open();
            OpenChunks.Sizes sizes = open.chunks().sizes(open.from());
            long start = open.from();
            long payload = 0;
            long sealed = 0;
            for (long seq = start; seq < open.to(); seq++) {
                int size = sizes.next();
                boolean full = payload + size > StreamLimits.MAX_BLOCK_BYTES;
                if (seq > start && (full || open.cutsBefore(seq))) {
                    sealed += payload;
                    write(scope, log, start, seq, sealed);
                    start = seq;
                    payload = 0;
                }
                payload += size;
            }
            if (start < open.to() && (all || payload >= StreamLimits.MAX_BLOCK_BYTES)) {
                sealed += payload;
                write(scope, log, start, open.to(), sealed);
                start = open.to();
            }
            if (start > open.from()) {
                RowChanges.seal(scope, log, start, sealed);
            }
        }

        /**
         * @param sealed payload of what this task has sealed of the stream, this block included
         */
        private void write(CommitScope scope, StreamLog log, long from, long to, long sealed) {
            OpenBlock open = log.open();
            long bytesBefore = log.currentRow().retained().sealedBytes();
            if (to <= log.currentRow().firstSeq()) {
                return; // trimmed before it was sealed: nobody would ever delete that block
            }
            scope.writes()
                    .insertBlock(new BlockRow(
                            log.key(),
                            from,
                            to,
                            open.lastBelow(to),
                            bytesBefore + sealed,
                            open.chunks().block(from, to)));
        }

        @Override
        void retry() {
            logs.forEach(Sealing.this::queue);
        }
    }
}
