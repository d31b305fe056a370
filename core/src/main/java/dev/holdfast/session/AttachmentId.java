package dev.holdfast.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Makes ids of attachments: the SHA-256 of media type, a line feed and the bytes, in hexadecimal. The media type is part of it, so that nobody
 * gets bytes under another type than the one with which they were stored. One thread at a time.
 */
public final class AttachmentId {

    private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

    private final MessageDigest digest;

    AttachmentId(String mediaType) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every Java has SHA-256", e);
        }
        digest.update(mediaType.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
    }

    AttachmentId add(byte[] bytes) {
        digest.update(bytes);
        return this;
    }

    String end() {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The id of what has this media type, in lower case, and these bytes. */
    public static String of(String mediaType, byte[] bytes) {
        return new AttachmentId(mediaType).add(bytes).end();
    }

    /** Whether this can be the id of an attachment. */
    public static boolean isOne(String text) {
        return ID.matcher(text).matches();
    }
}
