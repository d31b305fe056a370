package dev.holdfast.server;

import dev.holdfast.server.demo.DemoCommand;
import dev.holdfast.server.remote.SendCommand;
import dev.holdfast.server.remote.TailCommand;
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
        subcommands = {ServeCommand.class, DemoCommand.class, TailCommand.class, SendCommand.class})
public final class Main implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before run()
    private CommandSpec spec;

    Main() {}

    /** Runs one command and exits with its exit code: 0 when it did what was asked, 1 when it could not, 2 when it was asked wrongly. */
    public static void main(String[] arguments) {
        System.exit(run(new CommandLine(new Main()), Environment.ofProcess(), arguments));
    }

    static int run(CommandLine commandLine, Environment environment, String... arguments) {
        try {
            Configuration configuration = Configuration.find(commandLine, environment, arguments);
            commandLine.setDefaultValueProvider(configuration);
        } catch (ParameterException e) {
            return UsageFailures.report(e);
        }
        commandLine.setParameterExceptionHandler(new UsageFailures());
        commandLine.setExecutionExceptionHandler(new StartFailures());
        return commandLine.execute(arguments);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Name a command: %s."
                        .formatted(String.join(" or ", spec.subcommands().keySet())));
    }
}
