package dev.holdfast.server;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. Each function of the server is a subcommand with a class of its own, listed here. */
@Command(
        name = "holdfast",
        description = "Keeps the streams and sessions of agents durable.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {})
public final class Main implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before run()
    private CommandSpec spec;

    Main() {}

    /** Runs one command and exits with its exit code: 0 when it did what was asked, 2 when it was asked wrongly. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main());
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }
}
