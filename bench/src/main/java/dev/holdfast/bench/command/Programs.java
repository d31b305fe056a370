package dev.holdfast.bench.command;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Programs of this machine. */
public final class Programs {

    private Programs() {}

    /** The first one of this name on the {@code PATH}. */
    public static Optional<Path> onPath(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
