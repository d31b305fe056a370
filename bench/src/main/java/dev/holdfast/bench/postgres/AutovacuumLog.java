package dev.holdfast.bench.postgres;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the server's log says of the runs of autovacuum over the tables of a schema.
 *
 * @param runs how many
 * @param seconds how long they took together
 * @param cpuSeconds how long they computed together
 */
record AutovacuumLog(long runs, double seconds, double cpuSeconds) {

    private static final Pattern BEGINNING =
            Pattern.compile("automatic (?:aggressive )?vacuum of table \"[^.\"]+\\.([^.\"]+)\\.[^.\"]+\"");

    private static final Pattern USAGE =
            Pattern.compile("system usage: CPU: user: ([0-9.]+) s, system: ([0-9.]+) s, elapsed: ([0-9.]+) s");

    /** Reads lines as PostgreSQL 14 and later write them with {@code log_autovacuum_min_duration = 0} and messages in English. */
    static AutovacuumLog of(List<String> lines, String schema) {
        long runs = 0;
        double seconds = 0;
        double cpuSeconds = 0;
        boolean counted = false;
        for (String line : lines) {
            Matcher beginning = BEGINNING.matcher(line);
            if (beginning.find()) {
                counted = beginning.group(1).equals(schema);
                continue;
            }
            Matcher usage = USAGE.matcher(line);
            if (counted && usage.find()) {
                runs++;
                cpuSeconds += Double.parseDouble(usage.group(1)) + Double.parseDouble(usage.group(2));
                seconds += Double.parseDouble(usage.group(3));
                counted = false; // an analysis that follows is not a vacuum
            }
        }
        return new AutovacuumLog(runs, seconds, cpuSeconds);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("runs", runs);
        map.put("seconds", seconds);
        map.put("cpuSeconds", cpuSeconds);
        return map;
    }
}
