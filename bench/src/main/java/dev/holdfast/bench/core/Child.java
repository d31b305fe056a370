package dev.holdfast.bench.core;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.load.HoldfastTarget;
import dev.holdfast.bench.report.ProcessCounters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A JVM of its own for what must be measured in a fresh process, or must not end cleanly. It prints one line when it is done and halts
 * without closing anything, as a killed process would.
 */
public final class Child {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "child";

    /** Tells the child's answer from what the JVM says beside it. */
    private static final String ANSWER = "answer: ";

    private static final String START = "start";
    private static final String FILL = "fill";
    private static final String RECOVER = "recover";

    private Child() {}

    /** What a child printed, and how long that took. */
    record Answer(String line, double millis) {}

    /** The child's side. */
    public static void run(List<String> arguments) throws InterruptedException {
        Path folder = Path.of(arguments.get(1));
        String answer = switch (arguments.getFirst()) {
            case START -> startStore(folder);
            case FILL -> fillStore(folder, Integer.parseInt(arguments.get(2)), Long.parseLong(arguments.get(3)));
            case RECOVER -> recoverStore(folder);
            default -> throw new IllegalArgumentException("no such child: " + arguments);
        };
        System.out.println(ANSWER + answer);
        System.out.flush();
        if (!arguments.getFirst().equals(START)) {
            Runtime.getRuntime().halt(0); // a start ends by itself, since that is when a JDK writes its AOT cache
        }
    }

    private static String startStore(Path folder) {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            holdfast.streams().open("first").append("durable");
            return "ready";
        }
    }

    private static String fillStore(Path folder, int streams, long bytes) throws InterruptedException {
        HoldfastTarget target = HoldfastTarget.unsealed(folder, streams);
        target.fill(bytes, Appends.PAYLOAD_BYTES);
        return "filled";
    }

    private static String recoverStore(Path folder) {
        ProcessCounters before = ProcessCounters.now();
        long start = System.nanoTime();
        HoldfastTarget target = HoldfastTarget.reopened(folder);
        double millis = (System.nanoTime() - start) / 1e6;
        double cpuMillis = ProcessCounters.now().since(before).cpuNanos() / 1e6;
        return String.format(Locale.ROOT, "%.1f %.1f %d", millis, cpuMillis, target.tailOfFirst());
    }

    /** Starts a store in this folder and appends once. The time is that of the whole process, up to the durable append. */
    static Answer start(Path folder, List<String> jvmOptions) throws IOException, InterruptedException {
        return launch(jvmOptions, START, folder.toString());
    }

    /** Leaves a store with this much payload in live streams, as a killed process does. */
    static Answer fill(Path folder, int streams, long bytes) throws IOException, InterruptedException {
        return launch(List.of(), FILL, folder.toString(), Integer.toString(streams), Long.toString(bytes));
    }

    /** Opens such a store. The line has the milliseconds and the processor time that opening took, and the first stream's tail. */
    static Answer recover(Path folder) throws IOException, InterruptedException {
        return launch(List.of(), RECOVER, folder.toString());
    }

    private static Answer launch(List<String> jvmOptions, String... arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(COMMAND));
        all.addAll(List.of(arguments));
        List<String> command = JavaCommand.of(jvmOptions, "dev.holdfast.bench.Main", all);
        long before = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Answer answer = null;
        StringBuilder said = new StringBuilder();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(ANSWER)) {
                    answer = new Answer(line.substring(ANSWER.length()), (System.nanoTime() - before) / 1e6);
                }
                said.append(line).append('\n');
            }
        }
        int code = process.waitFor();
        if (code != 0 || answer == null) {
            throw new IOException("the child process %s ended with %d:%n%s".formatted(List.of(arguments), code, said));
        }
        return answer;
    }
}
