package dev.holdfast.bench.http.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run of {@link RequestLoop} measured.
 *
 * @param requests requests answered with 2xx in the window
 * @param refused requests answered otherwise
 * @param nanos length of the window
 * @param p50Micros median time from sending a request to having its whole response
 * @param p99Micros 99th percentile
 * @param maxMicros the slowest
 * @param serverCpuNanos processor time of the server's process in the window
 * @param driverCpuNanos processor time of the generator's process in the window
 * @param headBytes size of the last response's head
 */
public record RequestSample(
        long requests,
        long refused,
        long nanos,
        double p50Micros,
        double p99Micros,
        double maxMicros,
        long serverCpuNanos,
        long driverCpuNanos,
        int headBytes) {

    public double perSecond() {
        return requests * 1e9 / nanos;
    }

    public double p99Millis() {
        return p99Micros / 1e3;
    }

    /** Processor time of the server for each request. */
    public double serverCpuMicros() {
        return serverCpuNanos / 1e3 / (requests + refused);
    }

    /** The same of the generator. */
    public double driverCpuMicros() {
        return driverCpuNanos / 1e3 / (requests + refused);
    }

    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("requests", requests);
        map.put("refused", refused);
        map.put("nanos", nanos);
        map.put("requestsPerSecond", perSecond());
        map.put("p50Micros", p50Micros);
        map.put("p99Micros", p99Micros);
        map.put("maxMicros", maxMicros);
        map.put("serverCpuMicrosPerRequest", serverCpuMicros());
        map.put("driverCpuMicrosPerRequest", driverCpuMicros());
        map.put("responseHeadBytes", headBytes);
        return map;
    }
}
