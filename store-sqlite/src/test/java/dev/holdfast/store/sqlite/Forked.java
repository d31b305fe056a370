package dev.holdfast.store.sqlite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another JVM that runs {@link StoreProcess}, possibly under strace. */
final class Forked implements AutoCloseable {

    private static final long MAX_WAIT_SECONDS = 120;

    private final Process process;
    private final BufferedReader output;

    private Forked(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it; {@code prefix} is put before the command. */
    static Forked start(List<String> prefix, Path folder, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(StoreProcess.class.getName());
        command.add(folder.toString());
        command.addAll(List.of(arguments));
        return new Forked(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    /** The next line it prints, or null when it has ended. */
    @Nullable
    String line() throws IOException {
        return output.readLine();
    }

    /** Kills it; what it printed before can still be read. */
    void kill() throws InterruptedException {
        boolean unused = process.toHandle().destroyForcibly();
        await();
    }

    /** All it prints until it ends. */
    List<String> lines() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            lines.add(line);
        }
        await();
        return lines;
    }

    /** How it ended; after {@link #lines}. */
    int exitCode() {
        return process.exitValue();
    }

    private void await() throws InterruptedException {
        if (!process.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the other process did not end");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Whether a program can be run here. */
    static boolean has(String... command) {
        try {
            Process probe = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return probe.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS) && probe.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
