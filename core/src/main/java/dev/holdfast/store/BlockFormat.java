package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format of a sealed block's body, all integers big-endian.
 *
 * <pre>
 *  0  u8   magic 0x42
 *  1  u8   version, 1
 *  2  u16  zero
 *  4  u32  CRC-32C of everything from offset 8 on
 *  8  u32  number of chunks
 * 12  chunks, each its length as a variable-length integer and its bytes
 * </pre>
 */
public final class BlockFormat {

    private static final int MAGIC = 0x42;
    private static final int VERSION = 1;
    private static final int CRC_OFFSET = 4;
    private static final int COUNT_OFFSET = 8;
    private static final int HEADER_BYTES = 12;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private BlockFormat() {}

    /** Packs chunks into a body. */
    public static byte[] encode(List<byte[]> chunks) {
        long size = 0;
        for (byte[] chunk : chunks) {
            size += Varint.sizeOf(chunk.length) + chunk.length;
        }
        Packer packer = new Packer(chunks.size(), Math.toIntExact(size));
        for (byte[] chunk : chunks) {
            packer.add(chunk);
        }
        return packer.finish();
    }

    /** Makes one body out of chunks, or of pieces that hold each chunk's length and bytes already. */
    public static final class Packer {
        private final byte[] body;
        private int at = HEADER_BYTES;

        /**
         * @param chunks how many chunks it will hold
         * @param bytes their bytes and their lengths' bytes
         */
        public Packer(int chunks, int bytes) {
            body = new byte[Math.addExact(HEADER_BYTES, bytes)];
            body[0] = MAGIC;
            body[1] = VERSION;
            INT.set(body, COUNT_OFFSET, chunks);
        }

        void add(byte[] chunk) {
            at = Varint.put(body, at, chunk.length);
            addEncoded(chunk, 0, chunk.length);
        }

        /** Adds chunks, or a part of one, that have their lengths before them already. */
        public void addEncoded(byte[] source, int from, int length) {
            System.arraycopy(source, from, body, at, length);
            at += length;
        }

        /** The body; must be full. */
        public byte[] finish() {
            if (at != body.length) {
                throw new AssertionError("a block of " + body.length + " bytes was filled with " + at);
            }
            INT.set(body, CRC_OFFSET, checksum(body));
            return body;
        }
    }

    /**
     * Where each chunk lies in the body: entry {@code 2 * i} is the offset and {@code 2 * i + 1} the length of chunk {@code i}.
     *
     * @throws StoreDamaged if the body is not what was written, or does not hold as many chunks as its row says
     */
    public static int[] index(BlockRow block) {
        byte[] body = block.body();
        long expected = block.toSeq() - block.fromSeq();
        if (body.length < HEADER_BYTES
                || body[0] != MAGIC
                || body[1] != VERSION
                || (int) INT.get(body, CRC_OFFSET) != checksum(body)
                || (int) INT.get(body, COUNT_OFFSET) != expected) {
            throw new StoreDamaged("Block %d..%d of stream key %d is damaged. Restore the store from a backup."
                    .formatted(block.fromSeq(), block.toSeq(), block.streamKey()));
        }
        int[] index = new int[Math.toIntExact(2 * expected)];
        Varint.Reader in = new Varint.Reader(body, HEADER_BYTES);
        for (int i = 0; i < index.length; i += 2) {
            int length = Math.toIntExact(in.next());
            index[i] = in.skip(length);
            index[i + 1] = length;
        }
        return index;
    }

    private static int checksum(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body, COUNT_OFFSET, body.length - COUNT_OFFSET);
        return (int) crc.getValue();
    }
}
