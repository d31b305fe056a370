package dev.holdfast.bench.http;

import dev.holdfast.bench.http.wire.RequestSample;
import dev.holdfast.bench.report.Median;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The runs of a {@link RequestCell}. */
final class RequestFigures {

    private final Map<Contender, List<RequestSample>> runs = new EnumMap<>(Contender.class);

    void add(Contender contender, RequestSample sample) {
        runs.computeIfAbsent(contender, each -> new ArrayList<>()).add(sample);
    }

    /** The median over the rounds, or NaN of a server that did not run. */
    double median(Contender contender, ToDoubleFunction<RequestSample> figure) {
        return Median.of(runs.getOrDefault(contender, List.of()), figure);
    }

    double perSecond(Contender contender) {
        return median(contender, RequestSample::perSecond);
    }

    void print(PrintStream out) {
        out.printf(
                "%-20s %11s %8s %9s %9s %9s %11s %11s%n",
                "", "requests/s", "x bare", "p50 us", "p99 us", "refused", "server us", "driver us");
        for (Contender contender : runs.keySet()) {
            out.printf(
                    "%-20s %11.0f %8.2f %9.0f %9.0f %9.0f %11.1f %11.1f%n",
                    contender.title(),
                    perSecond(contender),
                    perSecond(contender) / perSecond(Contender.BARE),
                    median(contender, RequestSample::p50Micros),
                    median(contender, RequestSample::p99Micros),
                    median(contender, RequestSample::refused),
                    median(contender, RequestSample::serverCpuMicros),
                    median(contender, RequestSample::driverCpuMicros));
        }
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        runs.forEach((contender, samples) -> map.put(
                contender.name(), samples.stream().map(RequestSample::asMap).toList()));
        return map;
    }
}
