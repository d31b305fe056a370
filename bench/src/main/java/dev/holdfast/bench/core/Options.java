package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Arguments;
import dev.holdfast.bench.command.Run;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run does.
 *
 * @param run what every benchmark is told
 * @param parts what to measure
 * @param rounds alternating runs of each cell
 * @param window measured time of each run
 * @param producers numbers of producers
 * @param streams numbers of streams
 */
record Options(Run run, Set<Part> parts, int rounds, Duration window, List<Integer> producers, List<Integer> streams) {

    /** A part of the benchmark. */
    enum Part {
        APPEND,
        TURN,
        STARTUP,
        RECOVERY,
        CATCHUP
    }

    static final String USAGE = """
            Usage: ./holdfast bench core [OPTIONS]

              --quick            about half a minute instead of a quarter of an hour
              --only PARTS       some of append,turn,startup,recovery,catchup
              --rounds N         alternating runs of each cell (5; quick: 1)
              --window MILLIS    measured time of each run (2000; quick: 500)
              --producers LIST   such as 64,512 (1,16,64,512; quick: 64,512)
              --streams LIST     such as 1,100 (1,100,10000; quick: 100)
              --folder DIR       where stores are made; choose the disk to measure (the system's temporary folder)
              --out FILE         also write everything as JSON, with the machine's data
              --strict           exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        Set<Part> parts = EnumSet.allOf(Part.class);
        int rounds = quick ? 1 : 5;
        int window = quick ? 500 : 2_000;
        List<Integer> producers = quick ? List.of(64, 512) : List.of(1, 16, 64, 512);
        List<Integer> streams = quick ? List.of(100) : List.of(1, 100, 10_000);
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--only" -> parts = rest.constants(Part.class);
                case "--rounds" -> rounds = rest.number();
                case "--window" -> window = rest.number();
                case "--producers" -> producers = rest.numbers();
                case "--streams" -> streams = rest.numbers();
                default -> run = run.with(rest);
            }
        }
        return new Options(run, parts, rounds, Duration.ofMillis(window), producers, streams);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("parts", List.copyOf(parts));
        map.put("rounds", rounds);
        map.put("windowMillis", window.toMillis());
        map.put("producers", producers);
        map.put("streams", streams);
        return map;
    }
}
