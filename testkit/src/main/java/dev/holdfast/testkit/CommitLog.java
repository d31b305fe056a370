package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Transactions as bytes, one frame each: magic, length and CRC-32C of the payload, then the payload, which is the changes in their order.
 * At start the frames are applied one after the other. A torn last one is dropped, as the transaction that was never acknowledged; a bad
 * one with a good one behind it is damage and is refused.
 */
final class CommitLog {

    private static final int MAGIC = 0x48465458;
    private static final int HEADER_BYTES = 12;

    private CommitLog() {}

    /** Collects the changes of one transaction. */
    static final class Changes {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        Changes() {
            bytes.writeBytes(new byte[HEADER_BYTES]);
        }

        boolean isEmpty() {
            return bytes.size() == HEADER_BYTES;
        }

        <R extends Record> void put(Table<R> table, R row) {
            try {
                out.writeByte(2 * table.id());
                RecordCodec.of(table.type()).write(row, out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void remove(Table<?> table, Key key) {
            try {
                out.writeByte(2 * table.id() + 1);
                RecordCodec.of(Key.class).write(key, out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        byte[] frame() {
            byte[] frame = bytes.toByteArray();
            int payload = frame.length - HEADER_BYTES;
            ByteBuffer.wrap(frame).putInt(MAGIC).putInt(payload).putInt(checksum(frame, HEADER_BYTES, payload));
            return frame;
        }
    }

    /** The tables as the disk has them; cuts a torn last transaction off the disk. */
    static Tables replay(ScriptedDisk disk) {
        byte[] file = disk.content();
        Tables tables = Tables.EMPTY;
        int at = 0;
        while (at < file.length) {
            int end = endOf(file, at);
            if (end < 0) {
                refuseIfFramesFollow(file, at);
                disk.truncate(at);
                break;
            }
            tables = apply(tables, file, at + HEADER_BYTES, end);
            at = end;
        }
        return tables;
    }

    /** Where the frame that begins here ends, or -1 if there is no whole frame. */
    private static int endOf(byte[] file, int at) {
        if (file.length - at < HEADER_BYTES) {
            return -1;
        }
        ByteBuffer header = ByteBuffer.wrap(file, at, HEADER_BYTES);
        int magic = header.getInt();
        int payload = header.getInt();
        int crc = header.getInt();
        boolean whole = magic == MAGIC
                && payload >= 0
                && payload <= file.length - at - HEADER_BYTES
                && crc == checksum(file, at + HEADER_BYTES, payload);
        return whole ? at + HEADER_BYTES + payload : -1;
    }

    private static void refuseIfFramesFollow(byte[] file, int bad) {
        for (int at = bad + 1; at < file.length; at++) {
            if (file[at] == (byte) (MAGIC >>> 24) && endOf(file, at) >= 0) {
                throw new StoreDamaged(
                        "The transaction at byte %d is damaged, and a later one at byte %d is not. Restore a backup."
                                .formatted(bad, at));
            }
        }
    }

    private static Tables apply(Tables before, byte[] file, int from, int to) {
        Tables tables = before;
        ByteArrayInputStream bytes = new ByteArrayInputStream(file, from, to - from);
        DataInputStream in = new DataInputStream(bytes);
        try {
            while (bytes.available() > 0) {
                int code = in.readByte();
                Table<?> table = Table.ALL.get(code / 2);
                tables = code % 2 == 0
                        ? put(tables, table, in)
                        : tables.without(table, RecordCodec.of(Key.class).read(in));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return tables;
    }

    private static <R extends Record> Tables put(Tables tables, Table<R> table, DataInputStream in) throws IOException {
        return tables.with(table, RecordCodec.of(table.type()).read(in));
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
