package dev.holdfast.examples.mcp;

import dev.holdfast.examples.mcp.fixture.FixtureServer;
import java.net.URI;

/** {@code holdfast mcp-fixture}: what the conformance suite and the tests with published clients talk to. */
public final class FixtureMain {

    private static final String USAGE = """
            Usage: ./holdfast mcp-fixture [--port N] [--data DIR] [--stock]

              --port N     the port on the loopback; 0, the default, is any
              --data DIR   where sessions, streams and tasks are kept; mcp-fixture-data if not given
              --stock      the SDK's own transport instead, which keeps nothing and knows the 2025 revisions only
            """;

    private FixtureMain() {}

    public static void main(String[] arguments) {
        Command.run("mcp-fixture", USAGE, arguments, given -> listening(FixtureServer.start(given)));
    }

    private static Command.Listening listening(FixtureServer server) {
        return new Command.Listening() {
            @Override
            public URI uri() {
                return URI.create(
                        "http://%s:%d%s".formatted(FixtureServer.LOOPBACK, server.port(), FixtureServer.PATH));
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
