package dev.holdfast.bench.sessions;

import java.util.Locale;

/**
 * The chunks of the benchmark's turns: a text delta with its number in its session and the time of its append, by the machine's monotonic clock, which is the
 * same in all its processes (on Linux and macOS). Also the names of the sessions.
 */
final class Beat {

    /** Begins a stamp; nothing else on the wire has it. */
    static final byte MARK = '@';

    static final int TIME_DIGITS = 19;
    static final int NUMBER_DIGITS = 8;
    static final int STAMP_BYTES = 1 + TIME_DIGITS + NUMBER_DIGITS;

    private static final byte[] BEFORE = Bytes.ascii("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"");
    private static final byte[] BEHIND = Bytes.ascii("\"}");
    private static final String SESSION = "session-";

    private Beat() {}

    static String session(int index) {
        return String.format(Locale.ROOT, "%s%05d", SESSION, index);
    }

    static String turn(int index) {
        return String.format(Locale.ROOT, "turn-%05d", index);
    }

    static int index(String session) {
        return Integer.parseInt(session.substring(SESSION.length()));
    }

    static byte[] chunk(long number, long nanos) {
        byte[] chunk = new byte[BEFORE.length + STAMP_BYTES + BEHIND.length];
        System.arraycopy(BEFORE, 0, chunk, 0, BEFORE.length);
        chunk[BEFORE.length] = MARK;
        putDigits(chunk, BEFORE.length + 1, TIME_DIGITS, nanos);
        putDigits(chunk, BEFORE.length + 1 + TIME_DIGITS, NUMBER_DIGITS, number);
        System.arraycopy(BEHIND, 0, chunk, BEFORE.length + STAMP_BYTES, BEHIND.length);
        return chunk;
    }

    private static void putDigits(byte[] out, int from, int count, long value) {
        long rest = value;
        for (int i = from + count - 1; i >= from; i--) {
            out[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** The digits of a stamp, from its mark on, as its time. */
    static long time(byte[] in, int mark) {
        return digits(in, mark + 1, TIME_DIGITS);
    }

    /** The digits of a stamp, from its mark on, as its number. */
    static long number(byte[] in, int mark) {
        return digits(in, mark + 1 + TIME_DIGITS, NUMBER_DIGITS);
    }

    private static long digits(byte[] in, int from, int count) {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            value = value * 10 + (in[i] - '0');
        }
        return value;
    }
}
