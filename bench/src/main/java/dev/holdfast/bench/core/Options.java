package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Arguments;
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
 * @param quick a short run, for a first look: fewer cells, one round, small stores
 * @param strict whether a missed bar makes the exit code 1
 * @param folder where stores are made and deleted again; its disk is the one that is measured
 * @param out the JSON's file, or null for none
 * @param parts what to measure
 * @param rounds alternating runs of each cell
 * @param window measured time of each run
 * @param producers numbers of producers
 * @param streams numbers of streams
 */
record Options(
        boolean quick,
        boolean strict,
        Path folder,
        @Nullable Path out,
        Set<Part> parts,
        int rounds,
        Duration window,
        List<Integer> producers,
        List<Integer> streams) {

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
        boolean quick = arguments.contains("--quick");
        Options options = quick ? shortRun() : fullRun();
        while (rest.hasNext()) {
            options = switch (rest.next()) {
                case "--quick" -> options;
                case "--strict" -> options.withStrict();
                case "--only" -> options.withParts(rest.constants(Part.class));
                case "--rounds" -> options.withRounds(rest.number());
                case "--window" -> options.withWindow(Duration.ofMillis(rest.number()));
                case "--producers" -> options.withProducers(rest.numbers());
                case "--streams" -> options.withStreams(rest.numbers());
                case "--folder" -> options.withFolder(Path.of(rest.value()));
                case "--out" -> options.withOut(Path.of(rest.value()));
                default -> throw rest.unknown();
            };
        }
        return options;
    }

    private static Options fullRun() {
        return new Options(
                false,
                false,
                Path.of(System.getProperty("java.io.tmpdir")),
                null,
                EnumSet.allOf(Part.class),
                5,
                Duration.ofSeconds(2),
                List.of(1, 16, 64, 512),
                List.of(1, 100, 10_000));
    }

    private static Options shortRun() {
        return new Options(
                true,
                false,
                Path.of(System.getProperty("java.io.tmpdir")),
                null,
                EnumSet.allOf(Part.class),
                1,
                Duration.ofMillis(500),
                List.of(64, 512),
                List.of(100));
    }

    private Options withStrict() {
        return new Options(quick, true, folder, out, parts, rounds, window, producers, streams);
    }

    private Options withParts(Set<Part> value) {
        return new Options(quick, strict, folder, out, value, rounds, window, producers, streams);
    }

    private Options withRounds(int value) {
        return new Options(quick, strict, folder, out, parts, value, window, producers, streams);
    }

    private Options withWindow(Duration value) {
        return new Options(quick, strict, folder, out, parts, rounds, value, producers, streams);
    }

    private Options withProducers(List<Integer> value) {
        return new Options(quick, strict, folder, out, parts, rounds, window, value, streams);
    }

    private Options withStreams(List<Integer> value) {
        return new Options(quick, strict, folder, out, parts, rounds, window, producers, value);
    }

    private Options withFolder(Path value) {
        return new Options(quick, strict, value, out, parts, rounds, window, producers, streams);
    }

    private Options withOut(Path value) {
        return new Options(quick, strict, folder, value, parts, rounds, window, producers, streams);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", quick);
        map.put("parts", List.copyOf(parts));
        map.put("rounds", rounds);
        map.put("windowMillis", window.toMillis());
        map.put("producers", producers);
        map.put("streams", streams);
        return map;
    }
}
