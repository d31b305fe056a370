package dev.holdfast.http.durablestreams;

/** Decimal numbers of headers and parameters, read without tolerance: digits and nothing else. */
final class Numbers {

    private Numbers() {}

    /** The number, or -1 if it is none or has too many digits. */
    static long parse(String text, int maxDigits) {
        return parse(text, 0, text.length(), maxDigits);
    }

    /** The number in a part of a text, or -1. */
    static long parse(String text, int from, int to, int maxDigits) {
        int digits = to - from;
        if (digits < 1 || digits > maxDigits) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }
}
