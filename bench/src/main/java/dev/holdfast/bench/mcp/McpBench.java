package dev.holdfast.bench.mcp;

import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.report.Report;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** {@code ./holdfast bench mcp}: calls of MCP tools beside the stock transports of the official SDK, and the price of durability as a ratio. */
public final class McpBench {

    private McpBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        Report report = Report.begin("mcp", options.run().folder(), options.asMap(), out);
        for (Options.Cell cell : options.cells()) {
            report.add(new CallCell(cell, options, out).measure());
        }
        return report.conclude(out, options.run().out(), options.run().strict());
    }
}
