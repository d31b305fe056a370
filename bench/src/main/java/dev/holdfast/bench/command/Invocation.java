package dev.holdfast.bench.command;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Function;

/** One call of a benchmark from the command line. */
public final class Invocation {

    private static final int EXIT_USAGE = 2;

    private Invocation() {}

    /** What is measured with these options. */
    @FunctionalInterface
    public interface Benchmark<O> {

        /** Measures, and returns the exit code. */
        int run(O options) throws IOException, InterruptedException;
    }

    /**
     * Runs a benchmark, unless the arguments ask for its usage or cannot be understood.
     *
     * @param parse reads the arguments; an {@link IllegalArgumentException} of it has a message for the user
     * @return the exit code
     */
    public static <O> int run(
            List<String> arguments,
            String usage,
            Function<List<String>, O> parse,
            Benchmark<? super O> benchmark,
            PrintStream out)
            throws IOException, InterruptedException {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            out.print(usage);
            return 0;
        }
        O options;
        try {
            options = parse.apply(arguments);
        } catch (IllegalArgumentException e) {
            out.printf("%s%n%n%s", e.getMessage(), usage);
            return EXIT_USAGE;
        }
        return benchmark.run(options);
    }
}
