package dev.holdfast.bench.sessions;

import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.report.Report;
import java.io.IOException;
import java.io.PrintStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code ./holdfast bench sessions}: many connections that watch sessions with live turns, beside a bare handler on the same Jetty that writes the same bytes.
 * Prints what it finds, and says of each bar whether it was met.
 */
public final class SessionsBench {

    private SessionsBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    /** Over which something is measured that depends on it. */
    private static Set<Transport> transports(Options options) {
        return options.cells().equals(Set.of(Options.Cell.CLIENTS)) ? Set.of() : options.transports();
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        Report report = Report.begin("sessions", options.run().folder(), options.asMap(), out);
        out.printf(
                "%,d connections, %d of each of %,d sessions; one chunk a second in each session%n",
                options.connections(), Options.WATCHERS_PER_SESSION, options.sessions());
        Trial.Result floor = null; // the bare handler's over SSE, for all
        for (Transport transport : transports(options)) {
            Map<Contender, Trial.Result> results = new EnumMap<>(Contender.class);
            for (Contender contender : options.against()) {
                if (transport.isServedBy(contender)) {
                    out.printf("%n%s, %s%n", transport.title(), contender.title());
                    results.put(contender, new Trial(options, contender, transport, out).measure());
                }
            }
            floor = results.getOrDefault(Contender.BARE, floor);
            report.add(Sections.of(transport, options, results, floor, out));
        }
        if (options.cells().contains(Options.Cell.CLIENTS)) {
            report.add(new Clients(options, out).measure());
        }
        return report.conclude(out, options.run().out(), options.run().strict());
    }
}
