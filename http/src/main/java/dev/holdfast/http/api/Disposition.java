package dev.holdfast.http.api;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The header {@code Content-Disposition} (RFC 6266): whether a browser shows or saves what it gets, and under which name. */
final class Disposition {

    private static final String ATTR_CHARS = "!#$&+-.^_`|~";

    private Disposition() {}

    static String save(String filename) {
        return "attachment" + named(filename);
    }

    static String show(String filename) {
        return "inline" + named(filename);
    }

    /** The name in ASCII for old clients, and as it is (RFC 8187). */
    private static String named(String filename) {
        StringBuilder ascii = new StringBuilder();
        filename.codePoints()
                .map(c -> c < 0x20 || c > 0x7e || "\"\\%/".indexOf(c) >= 0 ? '_' : c)
                .forEach(ascii::appendCodePoint);
        String header = "; filename=\"" + ascii + "\"";
        return ascii.toString().equals(filename) ? header : header + "; filename*=UTF-8''" + encoded(filename);
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
            if (plain || ATTR_CHARS.indexOf(b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append("%%%02X".formatted(b & 0xff).toUpperCase(Locale.ROOT));
            }
        }
        return encoded.toString();
    }
}
