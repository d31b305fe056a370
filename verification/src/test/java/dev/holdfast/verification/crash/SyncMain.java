package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Reading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The child that lets its syncs fail from some append on, and says what it is told then. */
final class SyncMain {

    static final int CHUNK_BYTES = 5000;
    static final int BEFORE = 20;
    static final int GROUP = 10;
    private static final int FAR_BEYOND_A_CHECKPOINT = 10_000;

    private SyncMain() {}

    /**
     * @param arguments the folder, and the file whose existence makes syncs fail
     */
    public static void main(String[] arguments) throws IOException {
        Report report = Report.onStandardOutput();
        try (Holdfast holdfast = Holdfast.open(Path.of(arguments[0]))) {
            StreamWriter writer = holdfast.streams().open("s");
            int next = 0;
            try {
                while (next < FAR_BEYOND_A_CHECKPOINT) {
                    if (next == BEFORE) {
                        Files.createFile(Path.of(arguments[1]));
                    }
                    next = group(writer, report, next);
                }
            } catch (StorePoisoned e) {
                report.line("POISONED");
            }
            refused(report, () -> writer.append("after"));
            refused(report, () -> holdfast.streams().open("other"));
            refused(report, () -> holdfast.streams().delete("s"));
            report.line("HEALTHY", holdfast.healthy());
            report.line(
                    "READS",
                    Reading.all(holdfast.streams(), "s", 0, Reading.MAX_BYTES).size());
        }
        report.line("LIVES");
    }

    /** Appends that wait for the disk together, some of them in one commit. */
    private static int group(StreamWriter writer, Report report, int from) {
        List<CompletableFuture<AppendResult>> appends = new ArrayList<>();
        for (int i = from; i < from + GROUP; i++) {
            appends.add(writer.appendAsync(AppendRequest.of(List.of(Reading.payload("s", i, CHUNK_BYTES)))));
        }
        StorePoisoned poisoned = null;
        for (CompletableFuture<AppendResult> append : appends) {
            try {
                report.line("ACK", append.join().firstSeq());
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof StorePoisoned cause)) {
                    throw e;
                }
                poisoned = cause;
            }
        }
        if (poisoned != null) {
            throw poisoned;
        }
        return from + GROUP;
    }

    private static void refused(Report report, Runnable write) {
        try {
            write.run();
            report.line("DONE");
        } catch (HoldfastException e) {
            report.line("REFUSED", e.getClass().getSimpleName());
        }
    }
}
