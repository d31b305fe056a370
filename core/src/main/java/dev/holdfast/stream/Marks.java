package dev.holdfast.stream;

import dev.holdfast.store.AppendRecord.ProducerMark;
import dev.holdfast.store.Varint;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What senders said last, as far as it decides about what they send next: the producers' positions, the newest order, and the append that
 * settled the stream. All of it only ever grows, so replaying old log entries over a newer snapshot changes nothing. Owned by the
 * committer's thread.
 *
 * <p>A log record carries what its append changed; the stream's row carries a snapshot, written whenever chunks leave the log.
 */
final class Marks {

    private static final int HAS_ORDER = 1;
    private static final int HAS_CLOSING = 2;

    private final Producers producers = new Producers();
    private @Nullable String order;
    private @Nullable Producer closing;

    /** What one batch adds; dropped with it if it is rolled back. */
    final class Pending {
        private final Producers.Staged added = producers.stage();
        private @Nullable String newOrder;
        private @Nullable Producer newClosing;

        /** Whether this is the next append of its producer, or one that it sent before. */
        Producers.Verdict check(Producer sender) {
            return producers.check(sender, added);
        }

        void checkRoom(String id) {
            added.checkRoom(id);
        }

        /** The highest sequence accepted from this producer in its newest epoch. */
        OptionalLong accepted(String producer) {
            return producers.accepted(producer, added);
        }

        OptionalLong checkpoint(String name) {
            return producers.checkpoint(name, added);
        }

        @Nullable
        String order() {
            return newOrder != null ? newOrder : order;
        }

        /** The append that settled the stream, if a producer sent it. */
        @Nullable
        Producer closing() {
            return newClosing != null ? newClosing : closing;
        }

        void put(ProducerMark mark) {
            added.put(mark);
        }

        void order(String value) {
            newOrder = value;
        }

        void closing(Producer sender) {
            newClosing = sender;
        }

        /** The snapshot that a stream's row keeps, with what this batch adds. */
        byte[] encode() {
            return Marks.encode(producers.with(added), order(), closing());
        }
    }

    Pending stage() {
        return new Pending();
    }

    void apply(Pending staged) {
        staged.added.all().forEach(producers::put);
        order = staged.order();
        closing = staged.closing();
    }

    /** Takes what an append in the log says. */
    void recover(@Nullable ProducerMark mark, @Nullable String said) {
        if (mark != null) {
            producers.put(mark);
        }
        if (said != null && (order == null || compare(said, order) > 0)) {
            order = said;
        }
    }

    /** Orders are compared as the bytes of their UTF-8 form. */
    static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A count, then id, epoch and sequence of each producer; then flags, the order if there is one, and id, epoch and sequence of the append
     * that settled the stream. Nothing at all if there is nothing to say.
     */
    private static byte[] encode(Collection<ProducerMark> marks, @Nullable String order, @Nullable Producer closing) {
        if (marks.isEmpty() && order == null && closing == null) {
            return new byte[0];
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Varint.write(out, marks.size());
        for (ProducerMark mark : marks) {
            write(out, mark.id());
            Varint.write(out, mark.epoch());
            Varint.write(out, mark.seq());
        }
        Varint.write(out, (order == null ? 0 : HAS_ORDER) | (closing == null ? 0 : HAS_CLOSING));
        if (order != null) {
            write(out, order);
        }
        if (closing != null) {
            write(out, closing.id());
            Varint.write(out, closing.epoch());
            Varint.write(out, closing.seq());
        }
        return out.toByteArray();
    }

    private static void write(ByteArrayOutputStream out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        Varint.write(out, utf8.length);
        out.writeBytes(utf8);
    }

    static Marks decode(byte[] snapshot) {
        Marks marks = new Marks();
        if (snapshot.length > 0) {
            Varint.Reader in = new Varint.Reader(snapshot, 0);
            for (long left = in.next(); left > 0; left--) {
                marks.producers.put(new ProducerMark(in.nextText(), in.next(), in.next()));
            }
            long flags = in.next();
            if ((flags & HAS_ORDER) != 0) {
                marks.order = in.nextText();
            }
            if ((flags & HAS_CLOSING) != 0) {
                marks.closing = new Producer(in.nextText(), in.next(), in.next());
            }
        }
        return marks;
    }

    /** All of it in one line, for comparing with a rebuild. */
    String describe() {
        return "%s order=%s closing=%s".formatted(producers.describe(), order, closing);
    }
}
