package dev.holdfast.bench;

import java.io.IOException;

/** Runs the benchmarks of this module with JMH's own command line: {@code -l} lists them, a regular expression chooses some. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        org.openjdk.jmh.Main.main(arguments);
    }
}
