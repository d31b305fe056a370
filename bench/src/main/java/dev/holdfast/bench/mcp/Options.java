package dev.holdfast.bench.mcp;

import dev.holdfast.bench.command.Arguments;
import dev.holdfast.bench.command.Run;
import java.nio.file.Path;
import java.time.Duration;
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
 * @param cells what to measure
 * @param against which servers to call
 * @param rounds how often each server is measured
 * @param window how long, each time
 */
record Options(Run run, @Nullable Path profile, Set<Cell> cells, Set<Contender> against, int rounds, Duration window) {

    static final int CONNECTIONS = 64;

    /** A part of the benchmark. */
    enum Cell {
        CALL,
        STEPS,
        MODERN
    }

    static final String USAGE = """
            Usage: ./holdfast bench mcp [OPTIONS]

              --quick              about a minute: one round of 2 s
              --only CELLS         some of call,steps,modern
              --against SERVERS    some of holdfast,stock
              --rounds N           how often each server is measured (3; quick: 1)
              --seconds N          measured time of a round (5; quick: 2)
              --folder DIR         where stores are made; choose the disk to measure (the system's temporary folder)
              --profile DIR        also record Holdfast under the same load, and write where its processor time goes
              --out FILE           also write everything as JSON, with the machine's data
              --strict             exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        Path profile = null;
        Set<Cell> cells = EnumSet.allOf(Cell.class);
        Set<Contender> against = EnumSet.allOf(Contender.class);
        int rounds = quick ? 1 : 3;
        int seconds = quick ? 2 : 5;
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--only" -> cells = rest.constants(Cell.class);
                case "--against" -> against = rest.constants(Contender.class);
                case "--rounds" -> rounds = rest.number();
                case "--seconds" -> seconds = rest.number();
                case "--profile" -> profile = Path.of(rest.value());
                default -> run = run.with(rest);
            }
        }
        return new Options(run, profile, cells, against, rounds, Duration.ofSeconds(seconds));
    }

    /** How long a server is called before it is measured. */
    Duration warmUp() {
        return run.quick() ? Duration.ofSeconds(3) : Duration.ofSeconds(10);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("cells", cells);
        map.put("against", against);
        map.put("rounds", rounds);
        map.put("windowMillis", window.toMillis());
        map.put("connections", CONNECTIONS);
        return map;
    }
}
