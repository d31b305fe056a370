package dev.holdfast.bench.sessions;

import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.command.Programs;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.server.ProcessView;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.report.Section;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a client spends on an event: one connection watches 100 sessions, each with ten chunks a second, and at each change the messages are looked at, as a page
 * does. Each client is a process of its own, with a server of its own: the TypeScript client in Node.js and the Java client, over server-sent events.
 */
final class Clients {

    private static final int SESSIONS = 100;
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration AFTERWARDS = Duration.ofSeconds(1);
    private static final String SCRIPT = "client.mjs";

    private final Options options;
    private final PrintStream out;

    Clients(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        out.printf(
                "%nClients: %d sessions on one connection, %d chunks/s%n",
                SESSIONS, SESSIONS * 1000 / INTERVAL.toMillis());
        Map<String, Object> figures = new LinkedHashMap<>();
        Path module = options.clientJs().resolve("dist").resolve("index.js").toAbsolutePath();
        Optional<Path> node = Programs.onPath("node");
        if (node.isPresent() && Files.exists(module)) {
            figures.put(
                    "clientJs",
                    measure("client-js", (server, folder) -> nodeCommand(node.get(), module, server, folder)));
        } else {
            out.printf(
                    "  NOT_MEASURED client-js: there is no %s. Run \"npm ci && npm run build\" in client-js with Node.js 20 or newer, and name it by --client-js.%n",
                    node.isPresent() ? module : "node on the PATH");
        }
        figures.put("clientJava", measure("client-java", (server, folder) -> javaCommand(server)));
        return new Section("clients", figures, List.of());
    }

    /** A client's command line. */
    @FunctionalInterface
    private interface Program {
        List<String> command(URI server, Path folder) throws IOException;
    }

    private Map<String, Object> measure(String name, Program program) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.run().folder());
                ServerProcess server = Contender.HOLDFAST.start(scratch.path(), SESSIONS)) {
            List<String> command = new ArrayList<>(program.command(server.uri(), scratch.path()));
            IntStream.range(0, SESSIONS).mapToObj(Beat::session).forEach(command::add);
            Process client =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
                String line = said.readLine();
                if (!"ready".equals(line)) {
                    throw new IOException("the client said: " + line);
                }
                long before = round(client, said, server, options.seconds() / 2 + 1);
                long cpu = new ProcessView(client.pid()).cpuNanos();
                long chunks = round(client, said, server, options.seconds()) - before;
                double micros = (new ProcessView(client.pid()).cpuNanos() - cpu) / 1e3 / Math.max(1, chunks);
                long missing = (long) SESSIONS * chunksIn(options.seconds()) - chunks;
                out.printf(
                        "  %s: %.1f us of processor time for each of %,d chunks; missing %d%n",
                        name, micros, chunks, missing);
                return Map.of("cpuMicrosPerChunk", micros, "chunks", chunks, "missing", missing);
            } finally {
                client.destroyForcibly();
            }
        }
    }

    private static List<String> nodeCommand(Path node, Path module, URI server, Path folder) throws IOException {
        Path script = folder.resolve(SCRIPT);
        try (InputStream in = Clients.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IOException("the resource " + SCRIPT + " is missing from the class path");
            }
            Files.write(script, in.readAllBytes());
        }
        return List.of(node.toString(), script.toString(), module.toString(), server.toString(), "sse");
    }

    private static List<String> javaCommand(URI server) {
        return JavaCommand.of(List.of(), "dev.holdfast.bench.Main", List.of(JavaWatching.COMMAND, server.toString()));
    }

    /** How many chunks of one session come in these seconds. */
    private static int chunksIn(int seconds) {
        return Math.toIntExact(Duration.ofSeconds(seconds).dividedBy(INTERVAL));
    }

    /** Lets chunks come for some seconds, and returns how many the client has had by then. */
    private static long round(Process client, BufferedReader said, ServerProcess server, int seconds)
            throws IOException, InterruptedException {
        int chunks = chunksIn(seconds);
        Round round = Metronome.ask(server, chunks, INTERVAL);
        Metronome.sleepUntil(round.dueAt(SESSIONS - 1, chunks - 1) + AFTERWARDS.toNanos());
        client.getOutputStream().write('\n');
        client.getOutputStream().flush();
        String count = said.readLine();
        try {
            return Long.parseLong(String.valueOf(count));
        } catch (NumberFormatException e) {
            throw new IOException("the client said: " + count, e);
        }
    }
}
