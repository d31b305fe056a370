package dev.holdfast.bench.load;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run of the driver measured.
 *
 * @param appends appends acknowledged in the window
 * @param nanos length of the window
 * @param p50Micros median latency of an append, as its producer saw it
 * @param p99Micros 99th percentile
 * @param maxMicros the slowest
 * @param payloadBytes payload acknowledged in the window
 * @param writtenBytes bytes the process handed to the kernel in the window, or -1 where the system does not tell
 * @param cpuNanos processor time of the whole process in the window
 */
public record Sample(
        long appends,
        long nanos,
        double p50Micros,
        double p99Micros,
        double maxMicros,
        long payloadBytes,
        long writtenBytes,
        long cpuNanos) {

    public double perSecond() {
        return appends * 1e9 / nanos;
    }

    /** Bytes written for each byte of payload, or NaN. */
    public double amplification() {
        return writtenBytes < 0 || payloadBytes == 0 ? Double.NaN : (double) writtenBytes / payloadBytes;
    }

    /** Processor time for each append, of producers, committer and everything else. */
    public double cpuMicros() {
        return cpuNanos / 1e3 / appends;
    }

    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("appends", appends);
        map.put("nanos", nanos);
        map.put("appendsPerSecond", perSecond());
        map.put("p50Micros", p50Micros);
        map.put("p99Micros", p99Micros);
        map.put("maxMicros", maxMicros);
        map.put("payloadBytes", payloadBytes);
        map.put("writtenBytes", writtenBytes);
        map.put("bytesPerPayloadByte", amplification());
        map.put("cpuMicrosPerAppend", cpuMicros());
        return map;
    }
}
