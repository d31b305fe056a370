package dev.holdfast.bench.postgres;

import dev.holdfast.bench.command.Arguments;
import dev.holdfast.bench.command.Run;
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
 * @param database the URL of a server that is there already, or null for one that the benchmark starts
 * @param cells what to measure
 * @param rounds how often what alternates is measured
 * @param seconds measured time of one figure in a round
 * @param turns how many turns leave dead rows behind
 */
record Options(Run run, @Nullable String database, Set<Cell> cells, int rounds, int seconds, int turns) {

    /** A part of the benchmark. */
    enum Cell {
        APPENDS,
        WAL,
        DATABASES,
        VISIBLE,
        LETTERS,
        TAKEOVER,
        VACUUM
    }

    private static final String URL_PREFIX = "jdbc:postgresql:";

    static final String USAGE = """
            Usage: ./holdfast bench postgres [OPTIONS]

              --quick           about two minutes: one round of two seconds a figure, 2,000 turns
              --only CELLS      some of appends,wal,databases,visible,letters,takeover,vacuum
              --database URL    a server that runs already, as jdbc:postgresql://HOST/DATABASE?user=...&password=... ; its
                                role may make schemas and has pg_checkpoint. Nothing else should use it meanwhile
                                (otherwise: a server of the benchmark's own, which syncs what it commits)
              --rounds N        how often what alternates is measured (3; quick: 1)
              --seconds N       measured time of one figure in a round (5; quick: 2)
              --turns N         how many turns leave dead rows behind (100000; quick: 2000)
              --folder DIR      where the server keeps its data; choose the disk to measure (the system's temporary folder)
              --out FILE        also write everything as JSON, with the machine's data
              --strict          exit with 1 if a bar is missed
            """;

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> arguments) {
        Arguments rest = new Arguments(arguments);
        Run run = Run.of(arguments);
        boolean quick = run.quick();
        String database = null;
        Set<Cell> cells = EnumSet.allOf(Cell.class);
        int rounds = quick ? 1 : 3;
        int seconds = quick ? 2 : 5;
        int turns = quick ? 2_000 : 100_000;
        while (rest.hasNext()) {
            switch (rest.next()) {
                case "--database" -> database = url(rest.value());
                case "--only" -> cells = rest.constants(Cell.class);
                case "--rounds" -> rounds = rest.number();
                case "--seconds" -> seconds = rest.number();
                case "--turns" -> turns = rest.number();
                default -> run = run.with(rest);
            }
        }
        return new Options(run, database, cells, rounds, seconds, turns);
    }

    private static String url(String text) {
        if (!text.startsWith(URL_PREFIX)) {
            throw new IllegalArgumentException("The option --database needs a URL that begins with \"%s\", not \"%s\"."
                    .formatted(URL_PREFIX, text));
        }
        return text;
    }

    /** Without the URL, which may have a password in it. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("quick", run.quick());
        map.put("ownServer", database == null);
        map.put("cells", List.copyOf(cells));
        map.put("rounds", rounds);
        map.put("seconds", seconds);
        map.put("turns", turns);
        return map;
    }
}
