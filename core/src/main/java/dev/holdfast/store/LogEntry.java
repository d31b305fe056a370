package dev.holdfast.store;

import dev.holdfast.store.AppendRecord.ProducerMark;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One log entry as it is read back at start: its checksum was verified, its bytes lie in one frame as they were written.
 *
 * <p>A full journal has millions of appends. So an entry is not taken apart into objects; a {@link Cursor} stands on one append after the
 * other.
 *
 * <p>Made by {@link LogFrame#decode} and {@link LogFrame#join}. Immutable.
 */
public final class LogEntry {

    private final long position;
    private final long committedAt;
    private final byte[] frame;
    private final int count;

    LogEntry(long position, long committedAt, byte[] frame, int count) {
        this.position = position;
        this.committedAt = committedAt;
        this.frame = frame;
        this.count = count;
    }

    /** Its position in the log. */
    public long position() {
        return position;
    }

    /** Its size in the log. */
    public int bytes() {
        return frame.length;
    }

    /** Wall clock of its commit, ms. */
    public long committedAt() {
        return committedAt;
    }

    /** Its appends in order, each with copies of its chunks. */
    public List<AppendRecord> records() {
        List<AppendRecord> records = new ArrayList<>(count);
        Cursor append = new Cursor();
        append.enter(this);
        while (append.next()) {
            records.add(append.copy());
        }
        return records;
    }

    /** Stands on one append of an entry. May be moved from entry to entry; what it shows is valid until it is moved. Not thread-safe. */
    public static final class Cursor {

        private static final LogEntry NOTHING = new LogEntry(0, 0, new byte[0], 0);

        private LogEntry entry = NOTHING;
        private int left;
        private int start;
        private int end;
        private long streamKey;
        private long epoch;
        private long firstSeq;
        private int chunkCount;
        private int chunksAt;
        private @Nullable ProducerMark producer;
        private @Nullable String order;

        /** Moves before the first append of an entry. */
        public void enter(LogEntry target) {
            entry = target;
            left = target.count;
            end = LogFrame.HEADER_BYTES;
        }

        /**
         * Moves to the next append.
         *
         * @return false after the last one
         */
        public boolean next() {
            if (left == 0) {
                if (end != entry.frame.length) {
                    throw LogFrame.damaged(entry.position);
                }
                return false;
            }
            left--;
            readHead(end);
            Varint.Reader in = new Varint.Reader(entry.frame, chunksAt);
            for (int i = 0; i < chunkCount; i++) {
                int unused = in.skip(Math.toIntExact(in.next()));
            }
            end = in.position();
            return true;
        }

        /** Moves to the append that begins at {@code at} and ends before {@code to}, as {@link #start()} and {@link #end()} once said. */
        public void moveTo(LogEntry target, int at, int to) {
            entry = target;
            left = 0;
            end = to;
            readHead(at);
        }

        private void readHead(int at) {
            Varint.Reader in = new Varint.Reader(entry.frame, at);
            start = at;
            streamKey = in.next();
            epoch = in.next();
            firstSeq = in.next();
            long countAndFlags = in.next();
            producer = (countAndFlags & LogFrame.HAS_PRODUCER) == 0 ? null : LogFrame.readProducer(in);
            order = (countAndFlags & LogFrame.HAS_ORDER) == 0 ? null : in.nextText();
            chunkCount = Math.toIntExact(countAndFlags >>> LogFrame.FLAG_BITS);
            chunksAt = in.position();
        }

        /** The entry it stands in. */
        public LogEntry entry() {
            return entry;
        }

        /** Where the append begins in the frame. */
        public int start() {
            return start;
        }

        /** Where the append ends in the frame, exclusive. */
        public int end() {
            return end;
        }

        /** The stream's key. */
        public long streamKey() {
            return streamKey;
        }

        /** Sequence number of the first chunk, inclusive. */
        public long firstSeq() {
            return firstSeq;
        }

        /** The sequence number after the last chunk, exclusive. */
        public long nextSeq() {
            return firstSeq + chunkCount;
        }

        /** The producer it names, or null. */
        public @Nullable ProducerMark producer() {
            return producer;
        }

        /** The order it has, or null. */
        public @Nullable String order() {
            return order;
        }

        /** Bytes of the chunks in the frame, each with its length before it. */
        public int encodedBytes() {
            return end - chunksAt;
        }

        /** A reader that stands before the length of the first chunk. */
        public Varint.Reader chunks() {
            return new Varint.Reader(entry.frame, chunksAt);
        }

        /** Copies bytes from where {@link #chunks} reads. */
        public void copy(int from, byte[] target, int at, int length) {
            System.arraycopy(entry.frame, from, target, at, length);
        }

        private AppendRecord copy() {
            Varint.Reader in = chunks();
            List<byte[]> chunks = new ArrayList<>(chunkCount);
            for (int i = 0; i < chunkCount; i++) {
                chunks.add(in.nextBytes());
            }
            return new AppendRecord(streamKey, epoch, firstSeq, chunks, producer, order);
        }
    }
}
