package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.NodeProject;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.AnswerReader;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A page is loaded while a turn of 20,000 deltas goes on. The server's time is from sending the request to having the last byte of what there is; the
 * client's, that of the published {@code ai@7} in Node, from the call of {@code resumeStream} to the message with all of the text, the server's included.
 */
final class Resume {

    private static final double MAX_MILLIS = 50;
    private static final String CHAT = "long";
    private static final List<String> FILES = List.of("package.json", "package-lock.json", "resume.mjs");

    private final Options options;
    private final PrintStream out;

    Resume(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        int times = options.run().quick() ? 10 : 50;
        try (Scratch scratch = Scratch.in(options.run().folder());
                ServerProcess server = ChatServer.start(scratch.path().resolve("resume"))) {
            byte[] post = ChatRequests.post(CHAT, "question", Agents.LONG);
            LastWords written = new LastWords();
            try (AnswerReader first = new AnswerReader(server.address())) {
                first.ask(post, written::bytes, written::said);
            }
            List<Double> serverMillis = new ArrayList<>();
            for (int i = 0; i < 2 * times; i++) {
                double millis = resumed(server);
                if (i >= times) {
                    serverMillis.add(millis);
                }
            }
            List<Double> clientMillis = clientMillis(server, times);
            return section(times, serverMillis, clientMillis);
        }
    }

    private static double resumed(ServerProcess server) throws IOException {
        LastWords replay = new LastWords();
        try (AnswerReader page = new AnswerReader(server.address())) {
            long before = System.nanoTime();
            page.ask(ChatRequests.resume(CHAT), replay::bytes, replay::said);
            return (System.nanoTime() - before) / 1e6;
        }
    }

    /** What the client measured, one line a time; the first half is for its compiler. */
    private List<Double> clientMillis(ServerProcess server, int times) throws IOException, InterruptedException {
        Path folder;
        try {
            folder = NodeProject.install(
                    Resume.class, FILES, options.run().folder(), "client", "The client of the AI SDK");
        } catch (NodeProject.Missing e) {
            out.println(e.getMessage());
            return List.of();
        }
        Process client = new ProcessBuilder(
                        "node",
                        folder.resolve("resume.mjs").toString(),
                        server.uri().toString(),
                        CHAT,
                        Agents.LAST_WORDS,
                        Integer.toString(2 * times))
                .redirectErrorStream(true)
                .start();
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (client.waitFor() != 0) {
            throw new IOException("the client failed:\n" + said);
        }
        return said.lines().skip(times).map(Double::valueOf).toList();
    }

    private Section section(int times, List<Double> serverMillis, List<Double> clientMillis) {
        double server = Median.of(serverMillis, Double::doubleValue);
        double client = Median.of(clientMillis, Double::doubleValue);
        double slowest =
                serverMillis.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
        out.printf(
                "%nA page that resumes a turn of %,d deltas, %d times: server %.2f ms (slowest %.2f), ai@7 %.2f ms%n",
                Agents.LONG_CHUNKS, times, server, slowest, client);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("deltas", Agents.LONG_CHUNKS);
        figures.put("serverMillis", server);
        figures.put("serverMillisSlowest", slowest);
        figures.put("clientMillis", client);
        return new Section(
                "resume",
                figures,
                List.of(
                        Bar.atMost("resume of a turn of 20,000 deltas: server", server, MAX_MILLIS, "ms"),
                        Bar.atMost("resume of a turn of 20,000 deltas: ai@7", client, MAX_MILLIS, "ms")));
    }

    /** Looks for where the text ends, in whatever pieces it comes. One thread. */
    private static final class LastWords {
        private static final byte[] WORDS = Agents.LAST_WORDS.getBytes(StandardCharsets.US_ASCII);

        private byte[] end = new byte[0];

        void bytes(byte[] in, int from, int to) {
            byte[] all = Arrays.copyOf(end, end.length + to - from);
            System.arraycopy(in, from, all, end.length, to - from);
            end = Arrays.copyOfRange(all, Math.max(0, all.length - 4 * WORDS.length), all.length);
        }

        boolean said() {
            return new String(end, StandardCharsets.ISO_8859_1).contains(Agents.LAST_WORDS);
        }
    }
}
