package dev.holdfast.verification.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Tells whether anything was written to a store's folder. */
public final class FileStamps {

    private FileStamps() {}

    /** Size and time of change of every file but the shared-memory index, which is no file to anyone but SQLite. */
    public static Map<String, String> of(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            Map<String, String> found = new TreeMap<>();
            for (Path file : all.filter(f -> !f.toString().endsWith("-shm")).toList()) {
                found.put(file.toString(), Files.size(file) + " bytes at " + Files.getLastModifiedTime(file));
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
