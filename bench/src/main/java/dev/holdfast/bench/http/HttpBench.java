package dev.holdfast.bench.http;

import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.command.NodeProject;
import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./holdfast bench http}: loads Holdfast's server beside a bare handler on the same Jetty and beside the protocol's reference server,
 * each in a process of its own, from this process. Prints what it finds, and says of each bar whether it was met.
 */
public final class HttpBench {

    private HttpBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        Report report = Report.begin("http", options.run().folder(), options.asMap(), out);
        NodeReference reference = reference(options, out);
        for (Options.Cell cell : options.cells()) {
            report.add(measure(cell, options, reference, out));
        }
        return report.conclude(out, options.run().out(), options.run().strict());
    }

    private static @Nullable NodeReference reference(Options options, PrintStream out)
            throws IOException, InterruptedException {
        if (!options.against().contains(Contender.NODE_FILE)
                && !options.against().contains(Contender.NODE_MEMORY)) {
            return null;
        }
        try {
            return NodeReference.install(options.run().folder());
        } catch (NodeProject.Missing e) {
            out.println(e.getMessage());
            return null;
        }
    }

    private static Section measure(
            Options.Cell cell, Options options, @Nullable NodeReference reference, PrintStream out)
            throws IOException, InterruptedException {
        return switch (cell) {
            case POST -> new RequestCell(RequestCell.Kind.POST, options, reference, out).measure();
            case POST1 -> new RequestCell(RequestCell.Kind.POST_ONE, options, reference, out).measure();
            case GET -> new RequestCell(RequestCell.Kind.GET, options, reference, out).measure();
            case SSE -> new FanOut(options, reference, out).measure();
            case IDLE -> new IdleCrowd(options, reference, out).measure();
            case CATCHUP -> new CatchUp(options, reference, out).measure();
        };
    }
}
