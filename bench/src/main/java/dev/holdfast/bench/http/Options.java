package dev.holdfast.bench.http;

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
 * @param against which servers to load
 * @param rounds alternating runs of each server
 * @param warmUp unmeasured load on each server before the first round
 * @param window measured time of each run
 */
record Options(
        Run run,
        @Nullable Path profile,
        Set<Cell> cells,
        Set<Contender> against,
        int rounds,
        Duration warmUp,
        Duration window) {

    /** A part of the benchmark. */
    enum Cell {
        POST,
        POST1,
        GET,
        SSE,
        IDLE,
        CATCHUP
    }

    static final String USAGE = """
            Usage: ./holdfast bench http [OPTIONS]

              --quick            about a minute instead of ten
              --only CELLS       some of post,post1,get,sse,idle,catchup
              --against SERVERS  some of holdfast,bare,node_file,node_memory
              --rounds N         alternating runs of each server (5; quick: 1)
              --warm-up MILLIS   unmeasured load on each server before the first round (8000; quick: 2000)
              --window MILLIS    measured time of each run (4000; quick: 1000)
              --folder DIR       where stores are made; choose the disk to measure (the system's temporary folder)
              --profile DIR      also record Holdfast under the same load, and write where its processor time goes
              --out FILE         also write everything as JSON, with the machine's data
              --strict           exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        Path profile = null;
        Set<Cell> cells = EnumSet.allOf(Cell.class);
        Set<Contender> against = EnumSet.allOf(Contender.class);
        int rounds = quick ? 1 : 5;
        int warmUp = quick ? 2_000 : 8_000;
        int window = quick ? 1_000 : 4_000;
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--only" -> cells = rest.constants(Cell.class);
                case "--against" -> against = rest.constants(Contender.class);
                case "--rounds" -> rounds = rest.number();
                case "--warm-up" -> warmUp = rest.number();
                case "--window" -> window = rest.number();
                case "--profile" -> profile = Path.of(rest.value());
                default -> run = run.with(rest);
            }
        }
        return new Options(run, profile, cells, against, rounds, Duration.ofMillis(warmUp), Duration.ofMillis(window));
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("cells", List.copyOf(cells));
        map.put("against", List.copyOf(against));
        map.put("rounds", rounds);
        map.put("warmUpMillis", warmUp.toMillis());
        map.put("windowMillis", window.toMillis());
        return map;
    }
}
