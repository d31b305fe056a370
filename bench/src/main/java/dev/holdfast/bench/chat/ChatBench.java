package dev.holdfast.bench.chat;

import dev.holdfast.bench.report.Machine;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * {@code ./holdfast bench chat}: turns with a live reader each, beside the same turns on Redis; what resuming a long turn costs; what a live turn
 * occupies. Prints what it finds, and says of each bar whether it was met.
 */
public final class ChatBench {

    private static final int EXIT_USAGE = 2;

    private ChatBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            out.print(Options.USAGE);
            return 0;
        }
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            out.printf("%s%n%n%s", e.getMessage(), Options.USAGE);
            return EXIT_USAGE;
        }
        return measure(options, out).conclude(out, options.out(), options.strict());
    }

    private static Report measure(Options options, PrintStream out) throws IOException, InterruptedException {
        Files.createDirectories(options.folder());
        Map<String, Object> machine = Machine.describe(options.folder());
        out.println(machine);
        Report report = new Report("chat", Instant.now(), machine, options.asMap());
        for (Options.Cell cell : options.cells()) {
            report.add(measure(cell, options, out));
        }
        return report;
    }

    private static Section measure(Options.Cell cell, Options options, PrintStream out)
            throws IOException, InterruptedException {
        return switch (cell) {
            case TURNS -> new Turns(options, out).measure();
            case RESUME -> new Resume(options, out).measure();
            case MEMORY -> new LiveMemory(options, out).measure();
        };
    }
}
