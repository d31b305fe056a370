package dev.holdfast.stream;

import java.util.Locale;

/** Compares content types: by media type alone, whatever the case and the parameters. */
final class MediaTypes {

    private MediaTypes() {}

    static boolean same(String a, String b) {
        return a.equals(b) || bare(a).equals(bare(b));
    }

    private static String bare(String contentType) {
        int parameters = contentType.indexOf(';');
        String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return type.strip().toLowerCase(Locale.ROOT);
    }
}
