package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;

/** The child whose operating system lets no file grow beyond a limit: sooner or later a write into SQLite's log fails in the middle. */
final class LimitMain {

    static final int CHUNK_BYTES = 5000;
    private static final int FAR_BEYOND_THE_LIMIT = 10_000;

    private LimitMain() {}

    public static void main(String[] arguments) {
        Report report = Report.onStandardOutput();
        try (Holdfast holdfast = Holdfast.open(Path.of(arguments[0]))) {
            StreamWriter writer = holdfast.streams().open("s");
            try {
                for (int i = 0; i < FAR_BEYOND_THE_LIMIT; i++) {
                    writer.append(Reading.payload("s", i, CHUNK_BYTES));
                    report.line("ACK", i);
                }
            } catch (StorePoisoned e) {
                report.line("POISONED");
            }
            try {
                writer.append("after");
            } catch (HoldfastException e) {
                report.line("REFUSED", e.getClass().getSimpleName());
            }
            report.line("HEALTHY", holdfast.healthy());
            report.line(
                    "READS",
                    Reading.all(holdfast.streams(), "s", 0, Reading.MAX_BYTES).size());
        }
        report.line("LIVES");
    }
}
