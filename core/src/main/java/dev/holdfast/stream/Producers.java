package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.store.AppendRecord.ProducerMark;
import dev.holdfast.store.Varint;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
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
            throw new ProducerGap(sender.id(), expected, sender.seq());
        }
        return sender.seq() == expected ? Verdict.NEXT : Verdict.DUPLICATE;
    }

    void put(ProducerMark mark) {
        marks.merge(mark.id(), mark, Producers::later);
    }

    OptionalLong checkpoint(String name, Staged staged) {
        ProducerMark mark = staged.known(CHECKPOINT_PREFIX + name);
        return mark == null ? OptionalLong.empty() : OptionalLong.of(mark.seq());
    }

    private static ProducerMark later(ProducerMark a, ProducerMark b) {
        if (a.epoch() != b.epoch()) {
            return a.epoch() > b.epoch() ? a : b;
        }
        return a.seq() >= b.seq() ? a : b;
    }

    /** The snapshot a stream's row keeps: a count, then id, epoch and sequence of each. */
    byte[] encode(Staged staged) {
        Map<String, ProducerMark> all = marks;
        if (!staged.added.isEmpty()) {
            all = new HashMap<>(marks);
            for (ProducerMark mark : staged.all()) {
                all.merge(mark.id(), mark, Producers::later);
            }
        }
        if (all.isEmpty()) {
            return new byte[0];
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writeVarint(out, all.size());
        for (ProducerMark mark : all.values()) {
            byte[] id = mark.id().getBytes(StandardCharsets.UTF_8);
            writeVarint(out, id.length);
            out.writeBytes(id);
            writeVarint(out, mark.epoch());
            writeVarint(out, mark.seq());
        }
        return out.toByteArray();
    }

    static Producers decode(byte[] snapshot) {
        Producers producers = new Producers();
        if (snapshot.length > 0) {
            Varint.Reader in = new Varint.Reader(snapshot, 0);
            for (long left = in.next(); left > 0; left--) {
                String id = new String(in.nextBytes(), StandardCharsets.UTF_8);
                producers.put(new ProducerMark(id, in.next(), in.next()));
            }
        }
        return producers;
    }

    /** The marks in order, for comparing with a rebuild. */
    String describe() {
        return new TreeMap<>(marks).values().toString();
    }

    private static void writeVarint(ByteArrayOutputStream out, long value) {
        byte[] bytes = new byte[Varint.sizeOf(value)];
        Varint.put(bytes, 0, value);
        out.writeBytes(bytes);
    }
}
