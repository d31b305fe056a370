package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.Arguments;
import dev.holdfast.bench.command.Run;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run does.
 *
 * @param run what every benchmark is told
 * @param cells what to measure
 * @param against who runs the turns
 * @param rounds alternating runs of each contender
 * @param turns numbers of turns at once
 * @param chunks measured chunks of each run, at least
 */
record Options(Run run, Set<Cell> cells, Set<Contender> against, int rounds, List<Integer> turns, int chunks) {

    /** A part of the benchmark. */
    enum Cell {
        TURNS,
        RESUME,
        MEMORY
    }

    static final String USAGE = """
            Usage: ./holdfast bench chat [OPTIONS]

              --quick            about half a minute instead of five
              --only CELLS       some of turns,resume,memory
              --against NAMES    some of library,wire,redis
              --rounds N         alternating runs of each contender (5; quick: 1)
              --turns LIST       numbers of turns at once (1,16,64)
              --chunks N         chunks of each run, at least (64000; quick: 12800)
              --folder DIR       where stores are made; choose the disk to measure (the system's temporary folder)
              --out FILE         also write everything as JSON, with the machine's data
              --strict           exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        Set<Cell> cells = EnumSet.allOf(Cell.class);
        Set<Contender> against = EnumSet.allOf(Contender.class);
        int rounds = quick ? 1 : 5;
        List<Integer> turns = List.of(1, 16, 64);
        int chunks = quick ? 12_800 : 64_000;
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--only" -> cells = rest.constants(Cell.class);
                case "--against" -> against = rest.constants(Contender.class);
                case "--rounds" -> rounds = rest.number();
                case "--turns" -> turns = rest.numbers();
                case "--chunks" -> chunks = rest.number();
                default -> run = run.with(rest);
            }
        }
        return new Options(run, cells, against, rounds, turns, chunks);
    }

    /** How many turns each of so many workers has in a row; with one worker a tenth of the chunks is enough. */
    int inARow(int workers) {
        int wanted = workers == 1 ? chunks / 10 : chunks;
        return Math.max(2, wanted / Deltas.CHUNKS / workers);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("cells", List.copyOf(cells));
        map.put("against", List.copyOf(against));
        map.put("rounds", rounds);
        map.put("turns", turns);
        map.put("chunks", chunks);
        return map;
    }
}
