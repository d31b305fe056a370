package dev.holdfast.store.sqlite;

import java.nio.ByteBuffer;

/**
 * SQLite's checksum of its write-ahead log: two sums over pairs of 32-bit words, each feeding the other, carried on from frame to frame.
 *
 * @param bigEndian the byte order in which the words are read, as the file's magic number says
 */
record WalChecksum(int first, int second, boolean bigEndian) {

    static WalChecksum start(boolean bigEndian) {
        return new WalChecksum(0, 0, bigEndian);
    }

    /** The same sums, to be carried on in this byte order. */
    WalChecksum in(boolean order) {
        return new WalChecksum(first, second, order);
    }

    /** Carries on over {@code length} bytes, a multiple of eight. */
    WalChecksum over(ByteBuffer bytes, int from, int length) {
        int one = first;
        int two = second;
        for (int at = from; at < from + length; at += 8) {
            one += word(bytes, at) + two;
            two += word(bytes, at + 4) + one;
        }
        return new WalChecksum(one, two, bigEndian);
    }

    private int word(ByteBuffer bytes, int at) {
        int word = bytes.getInt(at);
        return bigEndian ? word : Integer.reverseBytes(word);
    }
}
