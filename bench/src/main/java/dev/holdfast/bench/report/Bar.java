package dev.holdfast.bench.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One expectation and what was measured against it.
 *
 * @param name what is expected of what, unique in a run
 * @param measured the figure, or NaN if this run did not measure it
 * @param direction on which side of the limit it must be
 * @param limit the limit, inclusive
 * @param unit of both, such as {@code x} for a ratio or {@code ms}
 */
public record Bar(String name, double measured, Direction direction, double limit, String unit) {

    /** On which side of the limit a figure passes. */
    public enum Direction {
        AT_LEAST(">="),
        AT_MOST("<=");

        private final String sign;

        Direction(String sign) {
            this.sign = sign;
        }
    }

    /** How a figure stands. */
    public enum Verdict {
        PASS,
        MISS,
        NOT_MEASURED
    }

    public static Bar atLeast(String name, double measured, double limit, String unit) {
        return new Bar(name, measured, Direction.AT_LEAST, limit, unit);
    }

    public static Bar atMost(String name, double measured, double limit, String unit) {
        return new Bar(name, measured, Direction.AT_MOST, limit, unit);
    }

    public Verdict verdict() {
        if (Double.isNaN(measured)) {
            return Verdict.NOT_MEASURED;
        }
        boolean passes = direction == Direction.AT_LEAST ? measured >= limit : measured <= limit;
        return passes ? Verdict.PASS : Verdict.MISS;
    }

    /** The bar in one line. */
    public String line() {
        return String.format(
                Locale.ROOT, "%-12s %-70s %10.2f %s %.2f %s", verdict(), name, measured, direction.sign, limit, unit);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("verdict", verdict());
        map.put("measured", measured);
        map.put("direction", direction.sign);
        map.put("limit", limit);
        map.put("unit", unit);
        return map;
    }
}
