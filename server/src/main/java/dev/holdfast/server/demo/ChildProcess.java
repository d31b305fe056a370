package dev.holdfast.server.demo;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.server.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Java process of the demonstration: the server that is killed, or the provider that outlives it. */
final class ChildProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    private final Process process;
    private final String url;

    private ChildProcess(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    static ChildProcess upstream(Path folder, int eventsPerSecond) throws IOException {
        return start(
                folder.resolve("upstream.log"),
                LoopbackUpstream.class,
                List.of("--port", "0", "--events-per-second", Integer.toString(eventsPerSecond)));
    }

    static ChildProcess server(Path data, Path log, int port, Script script, String upstream) throws IOException {
        return start(
                log,
                Main.class,
                List.of(
                        "serve",
                        "--port",
                        Integer.toString(port),
                        "--data",
                        data.toString(),
                        "--model-url",
                        upstream,
                        "--model-api",
                        script.api(),
                        "--model-name",
                        script.model(),
                        "--log-level",
                        "WARN"));
    }

    /** Starts a main class in this process's own Java and class path, and waits until it says where it listens. */
    private static ChildProcess start(Path log, Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int at = line.indexOf("listening on ");
            if (at >= 0) {
                return new ChildProcess(
                        process, line.substring(at + "listening on ".length()).strip());
            }
        }
        process.destroyForcibly();
        throw new IOException(
                "%s did not start. What it said:%n%s".formatted(main.getSimpleName(), Files.readString(log)));
    }

    String url() {
        return url;
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: the process has no chance to do anything. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM: the process ends by itself. */
    void end() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            kill();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
