package dev.holdfast.bench;

import dev.holdfast.bench.chat.ChatBench;
import dev.holdfast.bench.chat.ChatServer;
import dev.holdfast.bench.core.Child;
import dev.holdfast.bench.core.CoreBench;
import dev.holdfast.bench.http.HttpBench;
import dev.holdfast.bench.http.server.BareServer;
import dev.holdfast.bench.mcp.HoldfastMcpServer;
import dev.holdfast.bench.mcp.McpBench;
import dev.holdfast.bench.mcp.StockMcpServer;
import dev.holdfast.bench.postgres.NodeProcess;
import dev.holdfast.bench.postgres.PostgresBench;
import dev.holdfast.bench.sessions.BareFanOut;
import dev.holdfast.bench.sessions.JavaWatching;
import dev.holdfast.bench.sessions.SessionServer;
import dev.holdfast.bench.sessions.SessionsBench;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The benchmarks' command line: {@code core}, {@code http}, {@code chat}, {@code sessions}, {@code mcp} and {@code postgres} hold Holdfast against its bars, everything else goes to JMH. */
public final class Main {

    private static final String USAGE = """
            Usage: ./holdfast bench COMMAND

              core [OPTIONS]   the write path beside its floors, a turn's cost, start-up, recovery, catch-up;
                               `core --help` lists the options. docs/perf/core.md says what each figure means.
              http [OPTIONS]   the server over HTTP beside a bare Jetty handler and the protocol's reference server;
                               docs/perf/http.md
              chat [OPTIONS]   turns with live readers beside Redis Streams, resuming a long turn, memory of live turns;
                               docs/perf/chat.md
              sessions [OPTIONS]  the session transport: fan-out to 10,000 connections, their memory, all cut and back;
                               docs/perf/sessions.md
              mcp [OPTIONS]    calls of MCP tools beside the SDK's stock transports; docs/perf/mcp.md
              postgres [OPTIONS]  nodes on PostgreSQL: appends beside a row each, WAL, what another node sees, takeover, dead rows;
                               docs/perf/postgres.md
              jmh [ARGUMENTS]  JMH's own command line; `jmh -l` lists the benchmarks
            """;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> rest = Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length);
        switch (arguments.length == 0 ? "--help" : arguments[0]) {
            case "core" -> System.exit(CoreBench.run(rest, System.out));
            case "http" -> System.exit(HttpBench.run(rest, System.out));
            case "chat" -> System.exit(ChatBench.run(rest, System.out));
            case "sessions" -> System.exit(SessionsBench.run(rest, System.out));
            case "mcp" -> System.exit(McpBench.run(rest, System.out));
            case "postgres" -> System.exit(PostgresBench.run(rest, System.out));
            case "jmh" -> org.openjdk.jmh.Main.main(rest.toArray(String[]::new));
            case Child.COMMAND -> Child.run(rest);
            case ChatServer.COMMAND -> ChatServer.run(Path.of(rest.getFirst()));
            case BareServer.COMMAND -> BareServer.run(Integer.parseInt(rest.getFirst()));
            case SessionServer.COMMAND -> SessionServer.run(Path.of(rest.getFirst()), Integer.parseInt(rest.get(1)));
            case HoldfastMcpServer.COMMAND -> HoldfastMcpServer.run(Path.of(rest.getFirst()));
            case StockMcpServer.COMMAND -> StockMcpServer.run();
            case NodeProcess.COMMAND -> NodeProcess.run(rest);
            case JavaWatching.COMMAND -> JavaWatching.run(URI.create(rest.getFirst()), rest.subList(1, rest.size()));
            case BareFanOut.COMMAND -> BareFanOut.run(Integer.parseInt(rest.getFirst()));
            case "--help", "-h", "help" -> System.out.print(USAGE);
            default -> {
                System.err.printf("There is no benchmark command \"%s\".%n%n%s", arguments[0], USAGE);
                System.exit(2);
            }
        }
    }
}
