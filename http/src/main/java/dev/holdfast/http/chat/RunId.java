package dev.holdfast.http.chat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Names what one response gives out, so that positions in it can be told by their number: the turn, the stream it reads, and how it is shown. A
 * position counts only in the very view that it was counted in.
 *
 * @param session the chat
 * @param turn the turn
 * @param incarnation the stream, or 0 if the turn had none yet
 * @param major the client's
 * @param goesOn whether the view begins behind what was written before the turn waited
 */
record RunId(String session, String turn, long incarnation, int major, boolean goesOn) {

    private static final String PREFIX = "run.";
    private static final int MAX_TOKEN_CHARS = 1200;

    String token() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeUTF(session);
            out.writeUTF(turn);
            out.writeLong(incarnation);
            out.writeByte(major);
            out.writeBoolean(goesOn);
            out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
            return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException("Memory does not fail", e);
        }
    }

    /** Empty if the text is none; it may be the id of a chat then. */
    static Optional<RunId> parse(String token) {
        if (!token.startsWith(PREFIX) || token.length() > MAX_TOKEN_CHARS) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token.substring(PREFIX.length()));
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            RunId run = new RunId(in.readUTF(), in.readUTF(), in.readLong(), in.readByte(), in.readBoolean());
            boolean whole = in.readInt() == checksum(bytes, bytes.length - Integer.BYTES) && in.available() == 0;
            return whole ? Optional.of(run) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
