package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an attachment before its bytes.
 *
 * @param mediaType type and subtype, with parameters or without; in lower case
 * @param filename for people, or null; at most {@value SessionLimits#MAX_FILENAME_BYTES} bytes of UTF-8 without control characters
 */
public record AttachmentDraft(String mediaType, @Nullable String filename) {

    /** The type of what has none. */
    public static final String UNKNOWN_TYPE = "application/octet-stream";

    private static final String TOKEN = "[a-z0-9!#$&^_.+-]{1,127}";
    private static final Pattern MEDIA_TYPE = Pattern.compile(
            TOKEN + "/" + TOKEN + "( ?; ?" + TOKEN + "=(" + TOKEN + "|\"[ -!#-\\[\\]-~]{0,127}\")){0,8}");

    /**
     * @throws InvalidArgument if the media type is none, or the name has control characters
     * @throws LimitExceeded if the name is too long
     */
    public AttachmentDraft {
        mediaType = mediaType.toLowerCase(Locale.ROOT);
        if (!isMediaType(mediaType)) {
            throw new InvalidArgument(
                    "An attachment needs a media type such as image/png; unknown ones are application/octet-stream.");
        }
        if (filename != null) {
            if (filename.isEmpty() || filename.chars().anyMatch(Character::isISOControl)) {
                throw new InvalidArgument("The name of a file has at least one character, and no control characters.");
            }
            int bytes = filename.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > SessionLimits.MAX_FILENAME_BYTES) {
                throw new LimitExceeded("MAX_FILENAME_BYTES", SessionLimits.MAX_FILENAME_BYTES, bytes, "shorten it");
            }
        }
    }

    /** Whether a file's name can be that of an attachment. */
    public static boolean isFilename(String text) {
        return !text.isEmpty()
                && text.chars().noneMatch(Character::isISOControl)
                && text.getBytes(StandardCharsets.UTF_8).length <= SessionLimits.MAX_FILENAME_BYTES;
    }

    /** Whether this can be the media type of an attachment. */
    public static boolean isMediaType(String text) {
        return MEDIA_TYPE.matcher(text.toLowerCase(Locale.ROOT)).matches();
    }
}
