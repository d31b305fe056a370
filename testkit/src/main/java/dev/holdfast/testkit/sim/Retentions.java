package dev.holdfast.testkit.sim;

import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.StreamRow;
import dev.holdfast.stream.Retention;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What retention may have trimmed of a stream, and what it must have. When it does so depends on blocks and timers, which the model does not
 * know; so each answer that shows a stream's first chunk is checked, and the model adopts it.
 */
final class Retentions {

    private Retentions() {}

    /** The model learns where the stream begins. Returns what is wrong with that, or null. */
    static @Nullable String adopt(ModelStream stream, long first, long now) {
        long most = most(stream, now);
        if (first < stream.first || first > most) {
            return "%s begins at %d, but should at %d%s"
                    .formatted(stream.name, first, stream.first, most > stream.first ? " to " + most : "");
        }
        stream.first = first;
        return null;
    }

    /** No chunk from here on may have been trimmed: it is too young, and too few bytes follow it. */
    static long most(ModelStream stream, long now) {
        long most = Math.max(stream.first, stream.trimmedBefore);
        Retention retention = stream.terms.retention();
        if (retention == null) {
            return most;
        }
        Duration age = retention.maxAge();
        while (age != null && most < stream.tail() && stamp(stream, most).earliest() + age.toMillis() <= now) {
            most++;
        }
        if (retention.maxBytes() > 0) {
            long behind = bytes(stream, most, stream.tail());
            while (most < stream.tail() && behind - size(stream, most) >= retention.maxBytes()) {
                behind -= size(stream, most++);
            }
        }
        return most;
    }

    /** Every chunk below must have been trimmed, if nothing is left to do: it is a quarter too old. */
    static long least(ModelStream stream, long now) {
        Retention retention = stream.terms.retention();
        Duration age = retention == null ? null : retention.maxAge();
        long least = 0;
        while (age != null && least < stream.tail() && stamp(stream, least).latest() + age.toMillis() * 5 / 4 < now) {
            least++;
        }
        return least;
    }

    /** At rest, with no timer due: nothing is left that retention does not keep. */
    static void checkAtRest(Simulation simulation, ModelStream stream) {
        long least = least(stream, simulation.time.wallMillis());
        Violation.unless(
                stream.first >= least,
                "%s still begins at %d, below %d all is too old",
                stream.name,
                stream.first,
                least);
        Retention retention = stream.terms.retention();
        if (retention != null && retention.maxBytes() > 0 && stream.origin == null) {
            long behind = sealedBehindOldest(simulation, stream);
            Violation.unless(
                    behind < retention.maxBytes(),
                    "%s keeps a block though %d sealed bytes follow it",
                    stream.name,
                    behind);
        }
    }

    private static long sealedBehindOldest(Simulation simulation, ModelStream stream) {
        return simulation.process.store.observe(reads -> {
            StreamRow row = reads.stream(SimProcess.TENANT, stream.name).orElseThrow();
            List<BlockInfo> oldest = reads.blocks(row.key(), stream.first, 1);
            return oldest.isEmpty() ? 0L : bytes(stream, oldest.getFirst().toSeq(), row.sealedTo());
        });
    }

    private static long bytes(ModelStream stream, long from, long to) {
        long bytes = 0;
        for (long seq = from; seq < to; seq++) {
            bytes += size(stream, seq);
        }
        return bytes;
    }

    private static int size(ModelStream stream, long seq) {
        return stream.chunks.get((int) seq).length;
    }

    private static ModelStream.Stamp stamp(ModelStream stream, long seq) {
        return stream.stamps.get((int) seq);
    }
}
