package dev.holdfast.server;

import ch.qos.logback.classic.Logger;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs the server until the process is asked to end. */
@Command(
        name = "serve",
        description =
                "Runs the server. Each option is also a variable, HOLDFAST_MODEL_URL for --model-url, and a key of the file.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class ServeCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private ServeOptions options;

    @Override
    public Integer call() throws Exception {
        ServerSettings settings = settings();
        logAt(options.logLevel);
        HoldfastServer server =
                HoldfastServer.start(settings, Agents.of(settings), options.listener(spec.commandLine()));
        Runtime.getRuntime().addShutdownHook(new Thread(server::drainAndClose, "holdfast-drain"));
        spec.commandLine().getOut().println("Holdfast listening on " + server.uri());
        spec.commandLine().getOut().flush();
        server.awaitEnd();
        return 0;
    }

    ServerSettings settings() {
        return options.settings(spec.commandLine());
    }

    private static void logAt(org.slf4j.event.Level level) {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(ch.qos.logback.classic.Level.convertAnSLF4JLevel(level));
    }
}
