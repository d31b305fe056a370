package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.store.AppendRecord.ProducerMark;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent producers of one stream, and the writer's own checkpoints, which are kept in the same table under a reserved prefix. Marks
 * only ever grow, so replaying old log entries over a newer snapshot changes nothing. Owned by the committer's thread.
 */
final class Producers {

    /** No producer id may start with it. */
    static final char CHECKPOINT_PREFIX = '\u0000';

    private final Map<String, ProducerMark> marks = new HashMap<>();

    /** What to do with a producer's append. */
    enum Verdict {
        NEXT,
        DUPLICATE
    }

    /** The marks that one batch adds; dropped with it if it is rolled back. */
    final class Staged {
        private Map<String, ProducerMark> added = Map.of();
        private int newIds;

        private @Nullable ProducerMark known(String id) {
            ProducerMark staged = added.get(id);
            return staged != null ? staged : marks.get(id);
        }

        /** Refuses an id that would be one too many. */
        void checkRoom(String id) {
            int size = marks.size() + newIds;
            if (size >= StreamLimits.MAX_PRODUCERS && known(id) == null) {
                throw new LimitExceeded(
                        "MAX_PRODUCERS",
                        StreamLimits.MAX_PRODUCERS,
                        size + 1L,
                        "use fewer producer ids and checkpoint names on this stream, or a new stream");
            }
        }

        void put(ProducerMark mark) {
            ProducerMark known = known(mark.id());
            newIds += known == null ? 1 : 0;
            added = added.isEmpty() ? new HashMap<>() : added;
            added.put(mark.id(), known == null ? mark : later(known, mark));
        }

        Collection<ProducerMark> all() {
            return added.values();
        }
    }

    Staged stage() {
        return new Staged();
    }

    /**
     * @param staged what was staged earlier in this batch
     */
    Verdict check(Producer sender, Staged staged) {
        ProducerMark known = staged.known(sender.id());
        if (known == null) {
            if (sender.seq() != 0) {
                throw new ProducerGap(sender.id(), 0, sender.seq());
            }
            staged.checkRoom(sender.id());
            return Verdict.NEXT;
        }
        if (sender.epoch() < known.epoch()) {
            throw new StaleProducer(sender.id(), sender.epoch(), known.epoch());
        }
        long expected = sender.epoch() > known.epoch() ? 0 : known.seq() + 1;
        if (sender.seq() > expected) {
            throw sender.epoch() > known.epoch()
                    ? ProducerGap.atStartOfEpoch(sender.id(), sender.epoch(), sender.seq())
                    : new ProducerGap(sender.id(), expected, sender.seq());
        }
        return sender.seq() == expected ? Verdict.NEXT : Verdict.DUPLICATE;
    }

    void put(ProducerMark mark) {
        marks.merge(mark.id(), mark, Producers::later);
    }

    /** The highest sequence accepted from this producer in its newest epoch. */
    OptionalLong accepted(String id, Staged staged) {
        ProducerMark mark = staged.known(id);
        return mark == null ? OptionalLong.empty() : OptionalLong.of(mark.seq());
    }

    OptionalLong checkpoint(String name, Staged staged) {
        return accepted(CHECKPOINT_PREFIX + name, staged);
    }

    private static ProducerMark later(ProducerMark a, ProducerMark b) {
        if (a.epoch() != b.epoch()) {
            return a.epoch() > b.epoch() ? a : b;
        }
        return a.seq() >= b.seq() ? a : b;
    }

    /** All marks with those that a batch adds. */
    Collection<ProducerMark> with(Staged staged) {
        if (staged.added.isEmpty()) {
            return marks.values();
        }
        Map<String, ProducerMark> all = new HashMap<>(marks);
        for (ProducerMark mark : staged.all()) {
            all.merge(mark.id(), mark, Producers::later);
        }
        return all.values();
    }

    /** The marks in order, for comparing with a rebuild. */
    String describe() {
        return new TreeMap<>(marks).values().toString();
    }
}
