package dev.holdfast.server;

import dev.holdfast.error.HoldfastException;
import java.net.BindException;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** What can go wrong at the start, each in one line that says what to do. The stack trace comes with {@code --verbose}, or for a defect. */
final class StartFailures implements IExecutionExceptionHandler {

    /** A failure whose message is meant for people. */
    static final class StartFailure extends Exception {
        StartFailure(String message) {
            super(message);
        }

        StartFailure(String message, Throwable cause) {
            super(message, cause);
        }
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine commandLine, ParseResult parsed)
            throws Exception {
        if (failure instanceof ParameterException usage) {
            throw usage;
        }
        boolean expected = failure instanceof StartFailure || failure instanceof HoldfastException;
        commandLine.getErr().println("holdfast: " + failure.getMessage());
        if (!expected || Arrays.asList(parsed.originalArgs().toArray()).contains("--verbose")) {
            failure.printStackTrace(commandLine.getErr());
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    static StartFailure cannotListen(String host, int port, Exception cause) {
        String reason = cause instanceof BindException || cause.getCause() instanceof BindException
                ? "the port is in use or the address is not of this machine"
                : String.valueOf(cause.getMessage());
        return new StartFailure(
                "Cannot listen on %s:%d: %s. Choose another with --port or --host.".formatted(host, port, reason),
                cause);
    }
}
