package dev.holdfast.verification.launcher;

import static dev.holdfast.verification.rig.Patience.await;

import dev.holdfast.verification.rig.Signals;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/**
 * A checkout with the real launcher, a build that writes down that it was called, and a JDK that prints what it was called with. The build
 * waits at a gate while there is one.
 */
final class Checkout {

    private static final Path REAL = Path.of("..").toAbsolutePath().normalize();

    private static final int PATIENCE_SECONDS = 120;

    private static final String BUILD = """
            #!/bin/sh
            echo "begin $*" >>calls
            [ ! -p gate ] || read -r go <gate
            module=${*#*-pl }
            module=${module%% *}
            mkdir -p "$module/target/launch/lib"
            echo >"$module/target/launch/lib/some.jar"
            echo >"$module/target/launch/holdfast-$module-1.2.3.jar"
            echo end >>calls
            """;

    private final AtomicInteger starts = new AtomicInteger();
    private String path = System.getenv("PATH");
    private final Path root;
    private final Path home;

    /** Copies the launcher into a folder, which is made. */
    Checkout(Path root) throws IOException {
        this.root = root;
        this.home = Files.createDirectories(root.resolveSibling("home"));
        Files.createDirectories(root.resolve(".mvn"));
        for (String each : List.of("holdfast", ".mvn/find-jdk.sh", ".mvn/build-lock.sh")) {
            Files.copy(REAL.resolve(each), root.resolve(each));
        }
        write("pom.xml", "<project>\n  <version>1.2.3</version>\n</project>\n");
        write("server/pom.xml", "<project/>\n");
        Files.createDirectories(root.resolve("server/src/main/java"));
        program(root.resolve("mvnw"), BUILD);
        jdk(home.resolve(".jdks/jdk-99"), 99);
    }

    Path root() {
        return root;
    }

    Path home() {
        return home;
    }

    /** The lock where the kernel keeps none. */
    Path link() {
        return root.resolve("target/build.lock");
    }

    /** The file that the kernel's lock is on. */
    Path lockedFile() {
        return root.resolve("target/build.flock");
    }

    /** From now on no lock of the kernel can be had, as on a file system that has none. */
    void withoutLocksOfTheKernel() throws IOException {
        Path programs = home.resolve("programs");
        program(programs.resolve("flock"), "#!/bin/sh\nexit 71\n");
        path = programs + File.pathSeparator + path;
    }

    void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    static void program(Path path, String text) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A folder that looks like a JDK of this version. */
    static Path jdk(Path folder, int version) throws IOException {
        program(folder.resolve("bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n");
        program(folder.resolve("bin/javac"), "#!/bin/sh\n");
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"%d.0.1\"\n".formatted(version));
        return folder;
    }

    /** From now on a build waits once it has begun, until {@link #openGate()}. */
    void closeGate() throws Exception {
        if (new ProcessBuilder("mkfifo", root.resolve("gate").toString())
                        .start()
                        .waitFor()
                != 0) {
            throw new AssertionError("no fifo could be made");
        }
    }

    /** Lets the build that waits go on, and those to come. */
    void openGate() throws IOException {
        Path gate = root.resolve("gate");
        try (OutputStream open = Files.newOutputStream(gate)) {
            Files.delete(gate); // before the build goes on, so that the next one finds none
            open.write("go\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    /** What the build did so far: a line when it begins, with its arguments, and {@code end}. */
    List<String> calls() throws IOException {
        Path calls = root.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    void awaitBuild() {
        await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(() -> !calls().isEmpty());
    }

    Started start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    /** Starts the launcher with little more than these variables. */
    Started start(Map<String, String> variables, String... arguments) throws IOException {
        return run(root.resolve("holdfast"), variables, arguments);
    }

    /** Starts a program of the checkout, or a link to one. */
    Started run(Path program, Map<String, String> variables, String... arguments) throws IOException {
        int number = starts.incrementAndGet();
        Path out = home.resolve("out-" + number);
        Path err = home.resolve("err-" + number);
        List<String> command = new ArrayList<>(Signals.interruptible());
        command.add(program.toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        Map<String, String> environment = new HashMap<>(Map.of("HOME", home.toString(), "PATH", path));
        environment.putAll(variables);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new Started(builder.start(), out, err);
    }

    /** A start of the launcher. */
    record Started(Process process, Path outFile, Path errFile) {

        /** Waits for its end, which is near, and returns its exit code. */
        int end() throws IOException, InterruptedException {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                signal("KILL");
                throw new AssertionError("the launcher did not end: " + out() + err());
            }
            return process.exitValue();
        }

        /** Sends a signal to it and all that it started, as a terminal does. */
        void signal(String name) {
            Signals.send(
                    name,
                    LongStream.concat(
                                    LongStream.of(process.pid()),
                                    process.descendants().mapToLong(ProcessHandle::pid))
                            .toArray());
        }

        String out() throws IOException {
            return Files.readString(outFile);
        }

        String err() throws IOException {
            return Files.readString(errFile);
        }

        void awaitSaid(String text) {
            await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(() -> err().contains(text));
        }
    }
}
