package dev.holdfast.bench.sessions;

import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the trials over one transport come to, and the bars. */
final class Sections {

    private static final double MAX_P99_MILLIS = 100;
    private static final double MAX_HEAP_BYTES = 16 << 10;
    private static final double MAX_STORM_SECONDS = 10;

    private Sections() {}

    static Section of(
            Transport transport,
            Options options,
            Map<Contender, Trial.Result> results,
            Trial.@Nullable Result bare,
            PrintStream out) {
        Map<String, Object> figures = new LinkedHashMap<>();
        results.forEach((contender, result) -> figures.put(contender.name(), asMap(result)));
        Trial.Result holdfast = results.get(Contender.HOLDFAST);
        Trial.FanOut fanOut = holdfast == null ? null : holdfast.fanOut();
        Trial.FanOut floor = bare == null ? null : bare.fanOut();
        if (fanOut != null && floor != null) {
            double cpu = fanOut.serverCpuMicros() / floor.serverCpuMicros();
            double p99 = fanOut.p99Millis() / floor.p99Millis();
            out.printf(
                    "  Holdfast, of the bare handler over SSE: %.2f times the processor time of a delivery, %.2f times the p99%n",
                    cpu, p99);
            figures.put("cpuOfBare", cpu);
            figures.put("p99OfBare", p99);
        }
        return new Section(
                transport.name().toLowerCase(Locale.ROOT), figures, bars(transport, options, holdfast, fanOut));
    }

    private static Map<String, Object> asMap(Trial.Result result) {
        Map<String, Object> map = new LinkedHashMap<>();
        if (result.idle() != null) {
            map.put("idle", result.idle().asMap());
        }
        if (result.fanOut() != null) {
            map.put("fanOut", result.fanOut().asMap());
        }
        map.put("storms", result.storms().stream().map(Trial.Storm::asMap).toList());
        return map;
    }

    private static List<Bar> bars(
            Transport transport, Options options, Trial.@Nullable Result holdfast, Trial.@Nullable FanOut fanOut) {
        String name = "%s, %,d connections: ".formatted(transport.title(), options.connections());
        Trial.Idle idle = holdfast == null ? null : holdfast.idle();
        List<Trial.Storm> storms = holdfast == null ? List.of() : holdfast.storms();
        return List.of(
                Bar.atMost(
                        name + "fan-out p99", fanOut == null ? Double.NaN : fanOut.p99Millis(), MAX_P99_MILLIS, "ms"),
                Bar.atMost(
                        name + "lost or repeated",
                        fanOut == null ? Double.NaN : fanOut.lost() + fanOut.repeated() + fanOut.faults(),
                        0,
                        "chunks"),
                Bar.atMost(
                        name + "heap of an idle connection",
                        idle == null ? Double.NaN : idle.heapBytes(),
                        MAX_HEAP_BYTES,
                        "B"),
                Bar.atMost(
                        name + "all cut, all back",
                        Median.of(
                                storms,
                                storm -> Double.isNaN(storm.seconds()) ? Double.POSITIVE_INFINITY : storm.seconds()),
                        MAX_STORM_SECONDS,
                        "s"),
                Bar.atMost(
                        name + "lost, repeated or refused in a storm",
                        storms.isEmpty()
                                ? Double.NaN
                                : storms.stream()
                                        .mapToDouble(storm -> storm.lost() + storm.repeated() + storm.faultCount())
                                        .sum(),
                        0,
                        ""));
    }
}
