package dev.holdfast.server;

import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What was asked wrongly: one sentence that says what, and where to read how; never the whole usage. */
final class UsageFailures implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        return report(failure);
    }

    static int report(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        command.getErr().println("holdfast: " + sentence(failure));
        command.getErr()
                .println("Try \"%s --help\".".formatted(command.getCommandSpec().qualifiedName()));
        return CommandLine.ExitCode.USAGE;
    }

    private static String sentence(ParameterException failure) {
        if (failure instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unknown(unmatched.getUnmatched().getFirst(), failure.getCommandLine());
        }
        String message =
                String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return message.endsWith(".") ? message : message + ".";
    }

    private static String unknown(String argument, CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        Set<String> commands = command.getSubcommands().keySet();
        return argument.startsWith("-") || commands.isEmpty()
                ? "\"%s\" is no option of \"%s\".".formatted(argument, name)
                : "\"%s\" is no command; there are %s.".formatted(argument, String.join(" and ", commands));
    }
}
