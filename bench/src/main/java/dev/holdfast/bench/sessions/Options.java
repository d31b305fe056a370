package dev.holdfast.bench.sessions;

import dev.holdfast.bench.command.Arguments;
import dev.holdfast.bench.command.Run;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run does.
 *
 * @param run what every benchmark is told
 * @param profile where the profiles of Holdfast go, or null for none
 * @param clientJs the folder of the TypeScript client, built
 * @param cells what to measure
 * @param transports over what
 * @param against which servers to watch
 * @param connections watchers, each with a connection of its own
 * @param seconds measured time of the fan-out
 * @param storms how often all are cut
 */
record Options(
        Run run,
        @Nullable Path profile,
        Path clientJs,
        Set<Cell> cells,
        Set<Transport> transports,
        Set<Contender> against,
        int connections,
        int seconds,
        int storms) {

    /** A part of the benchmark. */
    enum Cell {
        IDLE,
        FANOUT,
        STORM,
        CLIENTS
    }

    static final int WATCHERS_PER_SESSION = 10;

    static final String USAGE = """
            Usage: ./holdfast bench sessions [OPTIONS]

              --quick              about a minute, with 1,000 connections
              --only CELLS         some of idle,fanout,storm,clients
              --transport NAMES    some of sse,websocket
              --against SERVERS    some of holdfast,bare
              --connections N      watchers, ten of each session, a multiple of ten (10000; quick: 1000)
              --seconds N          measured time of the fan-out (20; quick: 5)
              --storms N           how often all are cut and come back (3; quick: 1)
              --folder DIR         where stores are made; choose the disk to measure (the system's temporary folder)
              --profile DIR        also record Holdfast under the same load, and write where its processor time goes
              --client-js DIR      the TypeScript client, built by `npm ci` and `npm run build` there (client-js)
              --out FILE           also write everything as JSON, with the machine's data
              --strict             exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        Path profile = null;
        Path clientJs = Path.of("client-js");
        Set<Cell> cells = EnumSet.allOf(Cell.class);
        Set<Transport> transports = EnumSet.allOf(Transport.class);
        Set<Contender> against = EnumSet.allOf(Contender.class);
        int connections = quick ? 1_000 : 10_000;
        int seconds = quick ? 5 : 20;
        int storms = quick ? 1 : 3;
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--only" -> cells = rest.constants(Cell.class);
                case "--transport" -> transports = rest.constants(Transport.class);
                case "--against" -> against = rest.constants(Contender.class);
                case "--connections" -> connections = rest.number();
                case "--seconds" -> seconds = rest.number();
                case "--storms" -> storms = rest.number();
                case "--profile" -> profile = Path.of(rest.value());
                case "--client-js" -> clientJs = Path.of(rest.value());
                default -> run = run.with(rest);
            }
        }
        if (connections % WATCHERS_PER_SESSION != 0) {
            throw new IllegalArgumentException("The option --connections needs a multiple of %d, not \"%d\"."
                    .formatted(WATCHERS_PER_SESSION, connections));
        }
        return new Options(run, profile, clientJs, cells, transports, against, connections, seconds, storms);
    }

    int sessions() {
        return connections / WATCHERS_PER_SESSION;
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("cells", List.copyOf(cells));
        map.put("transports", List.copyOf(transports));
        map.put("against", List.copyOf(against));
        map.put("connections", connections);
        map.put("sessions", sessions());
        map.put("seconds", seconds);
        map.put("storms", storms);
        return map;
    }
}
