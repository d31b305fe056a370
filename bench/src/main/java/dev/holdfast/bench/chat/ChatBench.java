package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/**
 * {@code ./holdfast bench chat}: turns with a live reader each, beside the same turns on Redis; what resuming a long turn costs; what a live turn
 * occupies. Prints what it finds, and says of each bar whether it was met.
 */
public final class ChatBench {

    private ChatBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        Report report = Report.begin("chat", options.run().folder(), options.asMap(), out);
        for (Options.Cell cell : options.cells()) {
            report.add(measure(cell, options, out));
        }
        return report.conclude(out, options.run().out(), options.run().strict());
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
