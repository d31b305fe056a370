package dev.holdfast.verification.crash;

import dev.holdfast.verification.rig.Reading;
import java.io.ByteArrayOutputStream;

/** What the child writes: every chunk follows from its stream's name and its position, so that anyone can tell whether it is right. */
final class Workload {

    static final String SESSION = "session-";
    static final String ANSWER = "answer-";

    /** The stream of the idempotent producer, which is trimmed and never ends. */
    static final String ENDLESS = "endless";

    private Workload() {}

    private static int hash(String name, long seq) {
        int h = (int) (name.hashCode() * 0x9E3779B1L + seq * 0x85EBCA77L);
        h ^= h >>> 15;
        h *= 0x2C1B3C6D;
        return (h ^ (h >>> 13)) & Integer.MAX_VALUE;
    }

    /** How many chunks a conversation has when it ends. */
    static int length(String name) {
        return 5 + hash(name, -1) % 45;
    }

    /** Mostly small chunks, and now and then one that makes blocks fill. */
    static byte[] chunk(String name, long seq) {
        int h = hash(name, seq);
        return Reading.payload(name, seq, h % 20 == 0 ? 60_000 + h % 1000 : h % 300);
    }

    /** The message of a turn whose first {@code chunks} chunks were kept. */
    static byte[] message(String turn, long chunks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (long seq = 0; seq < chunks; seq++) {
            out.writeBytes(chunk(turn, seq));
        }
        return out.toByteArray();
    }
}
