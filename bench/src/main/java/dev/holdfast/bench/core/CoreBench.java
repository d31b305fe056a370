package dev.holdfast.bench.core;

import dev.holdfast.bench.report.Machine;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * {@code ./holdfast bench core}: measures the parts one after the other, prints them, and says of each bar whether it was met. A missed bar
 * is a finding, not a failure: the exit code is 0 all the same, unless {@code --strict} asks for more.
 */
public final class CoreBench {

    private static final int EXIT_USAGE = 2;

    private CoreBench() {}

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
        Report report = new Report("core", Instant.now(), machine, options.asMap());
        for (Options.Part part : options.parts()) {
            try {
                report.add(measure(part, options, out));
            } catch (SQLException e) {
                throw new IOException("a floor failed", e);
            }
        }
        return report;
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
