package dev.holdfast.bench.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A new folder that is deleted with all it holds. */
public record Scratch(Path path) implements AutoCloseable {

    public static Scratch in(Path parent) throws IOException {
        Files.createDirectories(parent);
        return new Scratch(Files.createTempDirectory(parent, "holdfast-bench-"));
    }

    @Override
    public void close() throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.walk(path)) {
            found = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : found) {
            Files.deleteIfExists(each);
        }
    }
}
