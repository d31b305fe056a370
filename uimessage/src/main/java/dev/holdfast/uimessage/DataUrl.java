package dev.holdfast.uimessage;

import java.util.Base64;
import java.util.Optional;

/**
 * A {@code data:} URL (RFC 2397) whose data is in base64.
 *
 * @param mediaType as the URL says, or empty
 * @param bytes its data
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
record DataUrl(String mediaType, byte[] bytes) {

    private static final String SCHEME = "data:";
    private static final String BASE64 = ";base64";

    /** What the URL holds; empty if it is another kind of URL or malformed. */
    static Optional<DataUrl> parse(String url) {
        int comma = url.indexOf(',');
        if (comma < 0 || !url.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return Optional.empty();
        }
        String head = url.substring(SCHEME.length(), comma).strip();
        if (!head.regionMatches(true, head.length() - BASE64.length(), BASE64, 0, BASE64.length())) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(url.substring(comma + 1));
            return Optional.of(new DataUrl(head.substring(0, head.length() - BASE64.length()), bytes));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The URL of these bytes. */
    static String of(String mediaType, byte[] bytes) {
        return SCHEME + mediaType + BASE64 + "," + Base64.getEncoder().encodeToString(bytes);
    }
}
