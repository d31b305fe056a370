package dev.holdfast.bench.chat;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The chunks of measured turns: a text delta of 61 bytes that says when it was made, by the machine's monotonic clock, which is the same in all
 * its processes (on Linux and macOS).
 */
final class Deltas {

    static final int CHUNKS = 400;
    static final int CHUNK_BYTES = 61;

    /** Begins a stamp; nothing else in a turn has it. */
    static final char MARK = '@';

    static final int DIGITS = 19;

    private Deltas() {}

    static byte[] stamped(long nanos) {
        return delta(String.format(Locale.ROOT, "%c%019d", MARK, nanos));
    }

    static byte[] delta(String text) {
        return "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"%s\"}"
                .formatted(text)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
