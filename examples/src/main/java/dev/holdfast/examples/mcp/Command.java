package dev.holdfast.examples.mcp;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** How both commands run: they print where they listen, and do so until the process ends. */
final class Command {

    private Command() {}

    /** A server that listens. */
    interface Listening extends AutoCloseable {
        URI uri();

        @Override
        void close();
    }

    /** Starts a server as the arguments say. */
    @FunctionalInterface
    interface Start {
        Listening start(String[] arguments) throws IOException;
    }

    /** Runs it until the process is asked to end. Exits with 1 if it could not start, with 2 if it was called wrongly. */
    static void run(String name, String usage, String[] arguments, Start start) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        if (List.of(arguments).contains("--help") || List.of(arguments).contains("-h")) {
            out.print(usage);
            return;
        }
        try {
            Listening server = start.start(arguments);
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close"));
            out.println(name + " listening on " + server.uri());
        } catch (Arguments.Wrong e) {
            end(2, name + ": " + e.getMessage() + System.lineSeparator() + usage);
        } catch (IOException | RuntimeException e) {
            end(1, name + ": " + e.getMessage());
        }
    }

    private static void end(int code, String message) {
        System.err.println(message);
        System.exit(code);
    }
}
