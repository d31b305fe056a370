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
 * A store that keeps the log by stream writes one <i>part</i> per stream and commit instead, and puts the parts of an entry together again when
 * it reads the log. A part is the records of one stream:
 *
 * <pre>
 *  0  u32  CRC-32C of the entry's position and wall clock (two i64) and of everything from offset 4 on
 *  4  u32  number of records
 *  8  records
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

    private static final int PART_CRC_OFFSET = 0;
    private static final int PART_COUNT_OFFSET = 4;
    private static final int PART_HEADER_BYTES = 8;

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

    /** Packs the appends of one stream in one commit into a part of an entry. */
    public static byte[] encodePart(List<AppendRecord> records, long position, long committedAt) {
        byte[] part = new byte[sizeOf(records) - HEADER_BYTES + PART_HEADER_BYTES];
        INT.set(part, PART_COUNT_OFFSET, records.size());
        int at = PART_HEADER_BYTES;
        for (AppendRecord record : records) {
            at = putRecord(part, at, record);
        }
        INT.set(part, PART_CRC_OFFSET, checksumOfPart(part, position, committedAt));
        return part;
    }

    /**
     * Puts parts together.
     *
     * @param parts of one entry, in the order in which their appends shall come
     * @throws StoreDamaged if a byte of a part, its position or its time is not what was written
     */
    public static LogEntry join(List<byte[]> parts, long position, long committedAt) {
        long size = HEADER_BYTES;
        int count = 0;
        for (byte[] part : parts) {
            if (part.length < PART_HEADER_BYTES
                    || (int) INT.get(part, PART_CRC_OFFSET) != checksumOfPart(part, position, committedAt)) {
                throw damaged(position);
            }
            size += part.length - PART_HEADER_BYTES;
            count += (int) INT.get(part, PART_COUNT_OFFSET);
        }
        byte[] frame = new byte[Math.toIntExact(size)];
        int at = HEADER_BYTES;
        for (byte[] part : parts) {
            int length = part.length - PART_HEADER_BYTES;
            System.arraycopy(part, PART_HEADER_BYTES, frame, at, length);
            at += length;
        }
        return new LogEntry(position, committedAt, frame, count);
    }

    private static int checksumOfPart(byte[] part, long position, long committedAt) {
        byte[] place = new byte[2 * Long.BYTES];
        LONG.set(place, 0, position);
        LONG.set(place, Long.BYTES, committedAt);
        CRC32C crc = new CRC32C();
        crc.update(place);
        crc.update(part, PART_COUNT_OFFSET, part.length - PART_COUNT_OFFSET);
        return (int) crc.getValue();
    }

    /** The size of an entry with these appends, as {@link LogEntry#bytes()} will tell it, without building it. */
    public static int sizeOf(List<AppendRecord> records) {
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
