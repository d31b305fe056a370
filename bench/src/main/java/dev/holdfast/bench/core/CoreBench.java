package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;

/**
 * {@code ./holdfast bench core}: measures the parts one after the other, prints them, and says of each bar whether it was met. A missed bar
 * is a finding, not a failure: the exit code is 0 all the same, unless {@code --strict} asks for more.
 */
public final class CoreBench {

    private CoreBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        Report report = Report.begin("core", options.run().folder(), options.asMap(), out);
        for (Options.Part part : options.parts()) {
            try {
                report.add(measure(part, options, out));
            } catch (SQLException e) {
                throw new IOException("a floor failed", e);
            }
        }
        return report.conclude(out, options.run().out(), options.run().strict());
    }

    private static Section measure(Options.Part part, Options options, PrintStream out)
            throws IOException, InterruptedException, SQLException {
        return switch (part) {
            case APPEND -> new Appends(options, out).measure();
            case TURN -> new TurnCost(options, out).measure();
            case STARTUP -> new StartUp(options, out).measure();
            case RECOVERY -> new Recovery(options, out).measure();
            case CATCHUP -> new CatchUp(options, out).measure();
        };
    }
}
