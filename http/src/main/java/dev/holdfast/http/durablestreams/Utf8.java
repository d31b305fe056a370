package dev.holdfast.http.durablestreams;

/** The shape of UTF-8, as RFC 3629 has it: no surrogates, nothing longer than need be, nothing beyond U+10FFFF. */
final class Utf8 {

    private Utf8() {}

    /** The length of the character of two to four bytes that begins here, or 0 if none does. */
    static int sequenceAt(byte[] in, int at) {
        int first = in[at] & 0xff;
        int length = length(first);
        if (length < 2 || at + length > in.length) {
            return 0;
        }
        int second = in[at + 1] & 0xff;
        int min = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int max = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (second < min || second > max) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((in[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** Whether the bytes end in the middle of a character, as far as can be told. */
    static boolean endsWithin(byte[] in) {
        for (int back = 1; back <= 3 && back <= in.length; back++) {
            int c = in[in.length - back] & 0xff;
            if ((c & 0xc0) != 0x80) {
                return length(c) > back;
            }
        }
        return false;
    }

    private static int length(int first) {
        if (first < 0xc2) {
            return first < 0x80 ? 1 : 0;
        }
        return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    }
}
