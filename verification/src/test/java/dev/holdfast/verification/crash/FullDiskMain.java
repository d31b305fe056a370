package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Reading;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The child on a small disk of its own, which it fills beside the store. */
final class FullDiskMain {

    static final int VICTIMS = 8;
    private static final int VICTIM_BYTES = 300 << 10;
    private static final int CHUNK_BYTES = 1_000;
    private static final int MAX_TRIES = 600;
    private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

    private FullDiskMain() {}

    public static void main(String[] arguments) throws IOException {
        Report report = Report.onStandardOutput();
        Path folder = Path.of(arguments[0]);
        Path ballast = folder.resolve("ballast");
        long acknowledged;
        try (Holdfast holdfast = Holdfast.open(folder.resolve("data"))) {
            Streams streams = holdfast.streams();
            StreamWriter writer = streams.open("s");
            for (int i = 0; i < VICTIMS; i++) {
                streams.open("victim" + i).append(new byte[VICTIM_BYTES]);
            }
            fill(ballast);
            report.line("FULL", isFull(() -> appendMany(writer)));
            int deleted = 0;
            for (int i = 0; i < VICTIMS; i++) {
                deleted += streams.delete("victim" + i) ? 1 : 0;
            }
            report.line("DELETED", deleted);
            report.line("KEPT", isFull(() -> writer.append(new byte[CHUNK_BYTES])));
            Files.delete(ballast);
            report.line("WORKS", worksInTheEnd(writer));
            report.line("HEALTHY", holdfast.healthy());
            acknowledged = writer.tail().seq();
        }
        try (Holdfast holdfast = Holdfast.open(folder.resolve("data"))) {
            boolean all =
                    Reading.all(holdfast.streams(), "s", 0, Reading.MAX_BYTES).size() == acknowledged;
            report.line("ALL", all && holdfast.streams().status("victim0").isEmpty());
        }
    }

    private static void fill(Path ballast) {
        byte[] zeros = new byte[4096];
        try (OutputStream out = Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                out.write(zeros);
            }
        } catch (IOException e) {
            // that was the last room
        }
    }

    private static void appendMany(StreamWriter writer) {
        while (true) {
            writer.append(new byte[CHUNK_BYTES]);
        }
    }

    private static boolean isFull(Runnable write) {
        try {
            write.run();
            return false;
        } catch (StoreFull e) {
            return true;
        }
    }

    /** The store looks for room by itself, once a second. */
    private static boolean worksInTheEnd(StreamWriter writer) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (!isFull(() -> writer.append(new byte[CHUNK_BYTES]))) {
                return true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return false;
    }
}
