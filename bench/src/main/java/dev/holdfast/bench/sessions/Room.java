package dev.holdfast.bench.sessions;

import java.nio.ByteBuffer;

/**
 * Where all connections of a thread read.
 *
 * @param in the room
 * @param view the same room
 */
record Room(byte[] in, ByteBuffer view) {

    static Room of(int bytes) {
        byte[] in = new byte[bytes];
        return new Room(in, ByteBuffer.wrap(in));
    }
}
