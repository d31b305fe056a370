package dev.holdfast.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** What the options of {@code serve} come to, without a server. */
final class Parsed {

    private Parsed() {}

    static ServerSettings settings(String... options) {
        return settings(Map.of(), options);
    }

    static ServerSettings settings(Map<String, String> environment, String... options) {
        CommandLine commandLine = new CommandLine(new Main());
        List<String> arguments = new ArrayList<>(List.of("serve"));
        arguments.addAll(List.of(options));
        String[] all = arguments.toArray(String[]::new);
        commandLine.setDefaultValueProvider(Configuration.find(commandLine, new Environment(environment), all));
        CommandLine.ParseResult serve = commandLine.parseArgs(all).subcommand();
        return ((ServeCommand) serve.commandSpec().userObject()).settings();
    }
}
