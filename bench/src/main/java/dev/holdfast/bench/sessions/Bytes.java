package dev.holdfast.bench.sessions;

import java.nio.charset.StandardCharsets;

/** Looks for the little that a watcher needs in messages whose form it knows. */
final class Bytes {

    private Bytes() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Where what is looked for ends, at or behind {@code from}; -1 if it is not there. */
    static int behind(byte[] wanted, byte[] in, int from, int to) {
        int last = to - wanted.length;
        for (int i = from; i <= last; i++) {
            if (in[i] == wanted[0] && is(wanted, in, i)) {
                return i + wanted.length;
            }
        }
        return -1;
    }

    private static boolean is(byte[] wanted, byte[] in, int at) {
        for (int k = 1; k < wanted.length; k++) {
            if (in[at + k] != wanted[k]) {
                return false;
            }
        }
        return true;
    }

    /** Where the text ends that begins here: at the next quotation mark. */
    static int endOfText(byte[] in, int from, int to) {
        int at = from;
        while (at < to && in[at] != '"') {
            at++;
        }
        return at;
    }
}
