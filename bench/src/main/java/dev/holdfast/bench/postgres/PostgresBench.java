package dev.holdfast.bench.postgres;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.command.Invocation;
import dev.holdfast.bench.report.Report;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * {@code ./holdfast bench postgres}: nodes on a PostgreSQL server, which is started for it unless another is named. Prints what it finds, and says of
 * each bar whether it was met.
 */
public final class PostgresBench {

    /** What says much whenever a schema is made, a pool opened or a shard taken. */
    private static final List<String> TALKATIVE =
            List.of("org.flywaydb", "com.zaxxer.hikari", "io.zonky.test", "dev.holdfast.node");

    private PostgresBench() {}

    /** Runs it and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws IOException, InterruptedException {
        return Invocation.run(arguments, Options.USAGE, Options::parse, options -> run(options, out), out);
    }

    private static int run(Options options, PrintStream out) throws IOException, InterruptedException {
        for (String name : TALKATIVE) {
            if (LoggerFactory.getLogger(name) instanceof Logger logger) {
                logger.setLevel(Level.WARN);
            }
        }
        Report report = Report.begin("postgres", options.run().folder(), options.asMap(), out);
        try (Database database = Database.open(options)) {
            Map<String, Object> server = database.describe();
            out.println(server);
            report.add(new Section("server", server, List.of()));
            for (Options.Cell cell : options.cells()) {
                report.add(measure(cell, database, options, out));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("the benchmark failed", e);
        }
        return report.conclude(out, options.run().out(), options.run().strict());
    }

    private static Section measure(Options.Cell cell, Database database, Options options, PrintStream out)
            throws Exception {
        return switch (cell) {
            case APPENDS -> new Appends(database, options, out).measure();
            case WAL -> new WrittenAhead(database, options, out).measure();
            case DATABASES -> new TwoDatabases(database, options, out).measure();
            case VISIBLE -> new Visible(database, options, out).measure();
            case LETTERS -> new Letters(database, options, out).measure();
            case TAKEOVER -> new Takeover(database, options, out).measure();
            case VACUUM -> new Vacuum(database, options, out).measure();
        };
    }
}
