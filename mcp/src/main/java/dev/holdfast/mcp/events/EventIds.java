package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.stream.Cursor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Writes and reads event ids: a version, the session's mark, the stream's incarnation, the next position, a nonce, the stream's id, and a
 * truncated HMAC-SHA256 over all of it, in base64url. Whoever has no key makes none that is taken for ours, and reading one needs no storage.
 * Immutable.
 */
final class EventIds {

    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 1 + 8 + 8 + 8 + 8;
    private static final int MAC_BYTES = 12;
    private static final String ALGORITHM = "HmacSHA256";

    /** The longest token that can be one of ours. */
    static final int MAX_ID_CHARS = (FIXED_BYTES + McpEventStore.MAX_ID_CHARS + MAC_BYTES + 2) / 3 * 4;

    private final SecretKeySpec key;

    EventIds(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** A digest of a session's id; other sessions have another one. */
    static long mark(String session) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(session.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** Writes the ids of one stream. */
    Writer writer(String session, String stream, long incarnation) {
        return new Writer(mac(), mark(session), stream, incarnation);
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
        }
    }

    /** One thread at a time. */
    static final class Writer {
        private final Mac mac;
        private final byte[] bytes;
        private final int signed;

        private Writer(Mac mac, long sessionMark, String stream, long incarnation) {
            byte[] name = stream.getBytes(StandardCharsets.US_ASCII);
            this.mac = mac;
            this.signed = FIXED_BYTES + name.length;
            this.bytes = new byte[signed + MAC_BYTES];
            ByteBuffer.wrap(bytes).put(VERSION).putLong(sessionMark).putLong(incarnation);
            System.arraycopy(name, 0, bytes, FIXED_BYTES, name.length);
        }

        /**
         * @param nonce 0 for the id of a stored event; anything else for one more id of the same position
         */
        String id(long next, long nonce) {
            ByteBuffer.wrap(bytes).putLong(17, next).putLong(25, nonce);
            mac.update(bytes, 0, signed);
            System.arraycopy(mac.doFinal(), 0, bytes, signed, MAC_BYTES);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }
    }

    /**
     * @throws WrongCursor if it is none of ours
     */
    EventId parse(String id) {
        if (id.length() > MAX_ID_CHARS) {
            throw notOurs();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(id);
        } catch (IllegalArgumentException e) {
            throw notOurs();
        }
        int signed = bytes.length - MAC_BYTES;
        if (signed <= FIXED_BYTES || bytes[0] != VERSION || !isCanonical(id, bytes) || !isSigned(bytes, signed)) {
            throw notOurs();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 1, signed - 1);
        long sessionMark = buffer.getLong();
        Cursor next = new Cursor(buffer.getLong(), buffer.getLong());
        String stream = new String(bytes, FIXED_BYTES, signed - FIXED_BYTES, StandardCharsets.US_ASCII);
        return new EventId(sessionMark, stream, next);
    }

    /** Base64 leaves bits over at its end, in which an altered id could differ from ours. */
    private static boolean isCanonical(String id, byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(id);
    }

    private boolean isSigned(byte[] bytes, int signed) {
        Mac mac = mac();
        mac.update(bytes, 0, signed);
        byte[] expected = Arrays.copyOf(mac.doFinal(), MAC_BYTES);
        return MessageDigest.isEqual(expected, Arrays.copyOfRange(bytes, signed, bytes.length));
    }

    private static WrongCursor notOurs() {
        return new WrongCursor("This is no event id of this server. Send one exactly as it was given, or none.");
    }
}
