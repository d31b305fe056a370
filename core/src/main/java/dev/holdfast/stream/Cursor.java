package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.WrongCursor;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;

/**
 * A position in one incarnation of a stream, as a printable, URL-safe token: the only thing a client must remember. To clients it is
 * opaque; it is checked for form here and against the stream at each attach.
 *
 * @param incarnation the incarnation it was given by
 * @param seq the next sequence number to read
 */
public record Cursor(long incarnation, long seq) {

    private static final byte VERSION = 1;
    private static final int BYTES = 1 + 8 + 8 + 4;
    private static final int MAX_TOKEN_CHARS = 64;

    /** The token. */
    public String token() {
        ByteBuffer buffer =
                ByteBuffer.allocate(BYTES).put(VERSION).putLong(incarnation).putLong(seq);
        buffer.putInt(checksum(buffer.array()));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
    }

    /**
     * Reads a token.
     *
     * @throws WrongCursor if it is none
     */
    public static Cursor parse(String token) {
        if (token.length() <= MAX_TOKEN_CHARS) {
            try {
                byte[] bytes = Base64.getUrlDecoder().decode(token);
                if (bytes.length == BYTES && bytes[0] == VERSION) {
                    ByteBuffer buffer = ByteBuffer.wrap(bytes, 1, BYTES - 1);
                    long incarnation = buffer.getLong();
                    long seq = buffer.getLong();
                    if (buffer.getInt() == checksum(bytes) && seq >= 0) {
                        return new Cursor(incarnation, seq);
                    }
                }
            } catch (IllegalArgumentException e) {
                throw notACursor();
            }
        }
        throw notACursor();
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, BYTES - 4);
        return (int) crc.getValue();
    }

    private static WrongCursor notACursor() {
        return new WrongCursor(
                "This is not a cursor. Send one exactly as the server gave it, or none to start from the beginning.");
    }
}
