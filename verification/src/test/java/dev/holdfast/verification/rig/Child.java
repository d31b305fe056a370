package dev.holdfast.verification.rig;

import dev.holdfast.testkit.Leash;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sqlite.util.OSInfo;

/**
 * A JVM of its own that the parent listens to and kills, and that ends with the parent ({@link Leash}). What the child wrote to its standard output before it died is in the pipe and is
 * read to the end: that is all that anyone ever saw of it.
 *
 * <p>The JVM is kept light: shared class data, the first compiler only, a small heap, and SQLite's native library unpacked once.
 */
public final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader lines;
    private final Path errors;

    private Child(Process process, Path errors) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
        this.errors = errors;
    }

    /**
     * Starts one.
     *
     * @param scratch a folder for the native library, the errors and the temporary files of children; the same for many
     * @param main its main class
     */
    public static Child start(Path scratch, Class<?> main, String... arguments) {
        return start(scratch, List.of(), main, arguments);
    }

    /** As above, behind a command that starts it, such as a shell that sets limits. */
    public static Child start(Path scratch, List<String> launcher, Class<?> main, String... arguments) {
        return start(scratch, launcher, List.of(), main, arguments);
    }

    /** As above, with options for its JVM. */
    public static Child start(
            Path scratch, List<String> launcher, List<String> options, Class<?> main, String... arguments) {
        try {
            Path library = nativeLibrary(scratch);
            Path errors = Files.createTempFile(scratch, "child-", ".err");
            List<String> command = new ArrayList<>(launcher);
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xshare:auto",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-Xmx128m",
                    "-ea",
                    "-Djava.io.tmpdir=" + scratch, // what a kill leaves there goes with it
                    "--enable-native-access=ALL-UNNAMED",
                    "-Dorg.sqlite.lib.path=" + library.getParent(),
                    "-Dorg.sqlite.lib.name=" + library.getFileName()));
            command.addAll(options);
            command.addAll(List.of(
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    Leash.class.getName(),
                    main.getName()));
            command.addAll(Arrays.asList(arguments));
            Process process =
                    new ProcessBuilder(command).redirectError(errors.toFile()).start();
            return new Child(process, errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path nativeLibrary(Path scratch) throws IOException {
        String name = System.mapLibraryName("sqlitejdbc");
        Path library = scratch.resolve(name);
        if (!Files.exists(library)) {
            String resource = "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + name;
            try (InputStream in = OSInfo.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IOException("no native library at " + resource);
                }
                Files.copy(in, library);
            }
        }
        return library;
    }

    /** Hands each line to {@code each} until one fits, which is handed over too. */
    public void readUntil(Predicate<String> last, Consumer<String> each) {
        try {
            while (true) {
                String line = lines.readLine();
                if (line == null) {
                    throw new AssertionError("the child ended by itself: " + complaints());
                }
                each.accept(line);
                if (last.test(line)) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** SIGKILL, then whatever it had written until then. */
    public void kill(Consumer<String> each) {
        process.toHandle().destroyForcibly(); // unlike the process's own method, this leaves its output to be read
        drain(each);
        int code = waitFor();
        if (code != 128 + 9) {
            throw new AssertionError("the child ended with " + code + " and not by the kill: " + complaints());
        }
    }

    /** Reads to the end of its output. A last line that the kill cut off was seen by nobody. */
    private void drain(Consumer<String> each) {
        try {
            StringBuilder line = new StringBuilder();
            for (int c = lines.read(); c >= 0; c = lines.read()) {
                if (c == '\n') {
                    each.accept(line.toString());
                    line.setLength(0);
                } else {
                    line.append((char) c);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it ends by itself, and returns its exit code. */
    public int end(Consumer<String> each) {
        drain(each);
        return waitFor();
    }

    private int waitFor() {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    public String complaints() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        waitFor();
        try {
            lines.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
