package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.AppendRecord.ProducerMark;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format of one log entry: all appends of one group commit, framed and checksummed. Stores that keep a journal write one frame per
 * commit and read it back at start; the layout is fixed by the offsets below, all integers big-endian.
 *
 * <pre>
 *  0  u8   magic 0x48
 *  1  u8   version, 1
 *  2  u16  zero
 *  4  u32  CRC-32C of everything from offset 8 on
 *  8  i64  wall clock of the commit, ms
 * 16  u32  length of the whole frame
 * 20  u32  number of records
 * 24  records
 * </pre>
 *
 * A record is {@code streamKey, epoch, firstSeq, chunkCount * 4 + hasOrder * 2 + hasProducer} as variable-length integers, then for a
 * producer its id (length and UTF-8), epoch and sequence number, then the order if there is one (length and UTF-8), then each chunk's
 * length and bytes.
 */
public final class LogFrame {

    private static final int MAGIC = 0x48;
    private static final int VERSION = 1;
    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = 1;
    private static final int CRC_OFFSET = 4;
    private static final int TIME_OFFSET = 8;
    private static final int LENGTH_OFFSET = 16;
    private static final int COUNT_OFFSET = 20;
    static final int HEADER_BYTES = 24;

    static final int HAS_PRODUCER = 1;
    static final int HAS_ORDER = 2;
    static final int FLAG_BITS = 2;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private LogFrame() {}

    /** Packs the appends of one commit into a frame of exactly the right length. */
    public static byte[] encode(List<AppendRecord> records, long committedAt) {
        byte[] frame = new byte[sizeOf(records)];
        frame[MAGIC_OFFSET] = MAGIC;
        frame[VERSION_OFFSET] = VERSION;
        LONG.set(frame, TIME_OFFSET, committedAt);
        INT.set(frame, LENGTH_OFFSET, frame.length);
        INT.set(frame, COUNT_OFFSET, records.size());
        int at = HEADER_BYTES;
        for (AppendRecord record : records) {
            at = putRecord(frame, at, record);
        }
        if (at != frame.length) {
            throw new AssertionError("a frame of " + frame.length + " bytes was filled with " + at);
        }
        INT.set(frame, CRC_OFFSET, checksum(frame));
        return frame;
    }

    /** The frame's size without building it. */
    static int sizeOf(List<AppendRecord> records) {
        long size = HEADER_BYTES;
        for (AppendRecord record : records) {
            size += Varint.sizeOf(record.streamKey())
                    + Varint.sizeOf(record.epoch())
                    + Varint.sizeOf(record.firstSeq())
                    + Varint.sizeOf((long) record.chunks().size() << FLAG_BITS);
            ProducerMark producer = record.producer();
            if (producer != null) {
                size += sizeOf(utf8(producer.id())) + Varint.sizeOf(producer.epoch()) + Varint.sizeOf(producer.seq());
            }
            String order = record.order();
            size += order == null ? 0 : sizeOf(utf8(order));
            for (byte[] chunk : record.chunks()) {
                size += sizeOf(chunk);
            }
        }
        return Math.toIntExact(size);
    }

    private static long sizeOf(byte[] bytes) {
        return (long) Varint.sizeOf(bytes.length) + bytes.length;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int putRecord(byte[] frame, int from, AppendRecord record) {
        int at = Varint.put(frame, from, record.streamKey());
        at = Varint.put(frame, at, record.epoch());
        at = Varint.put(frame, at, record.firstSeq());
        ProducerMark producer = record.producer();
        String order = record.order();
        int flags = (producer == null ? 0 : HAS_PRODUCER) | (order == null ? 0 : HAS_ORDER);
        at = Varint.put(frame, at, (long) record.chunks().size() << FLAG_BITS | flags);
        if (producer != null) {
            at = putBytes(frame, at, utf8(producer.id()));
            at = Varint.put(frame, at, producer.epoch());
            at = Varint.put(frame, at, producer.seq());
        }
        if (order != null) {
            at = putBytes(frame, at, utf8(order));
        }
        for (byte[] chunk : record.chunks()) {
            at = putBytes(frame, at, chunk);
        }
        return at;
    }

    private static int putBytes(byte[] frame, int from, byte[] bytes) {
        int at = Varint.put(frame, from, bytes.length);
        System.arraycopy(bytes, 0, frame, at, bytes.length);
        return at + bytes.length;
    }

    /**
     * Checks a frame.
     *
     * @param frame handed over: the entry keeps it
     * @throws StoreDamaged if a byte of it is not what was written
     */
    public static LogEntry decode(long position, byte[] frame) {
        if (frame.length < HEADER_BYTES
                || frame[MAGIC_OFFSET] != MAGIC
                || frame[VERSION_OFFSET] != VERSION
                || (int) INT.get(frame, LENGTH_OFFSET) != frame.length
                || (int) INT.get(frame, CRC_OFFSET) != checksum(frame)) {
            throw damaged(position);
        }
        return new LogEntry(position, (long) LONG.get(frame, TIME_OFFSET), frame, (int) INT.get(frame, COUNT_OFFSET));
    }

    static ProducerMark readProducer(Varint.Reader in) {
        return new ProducerMark(in.nextText(), in.next(), in.next());
    }

    private static int checksum(byte[] frame) {
        CRC32C crc = new CRC32C();
        crc.update(frame, TIME_OFFSET, frame.length - TIME_OFFSET);
        return (int) crc.getValue();
    }

    static StoreDamaged damaged(long position) {
        return new StoreDamaged(
                ("Log entry %d is damaged: its checksum does not match. Restore the store from a backup; "
                                + "nothing was opened or changed.")
                        .formatted(position));
    }
}
