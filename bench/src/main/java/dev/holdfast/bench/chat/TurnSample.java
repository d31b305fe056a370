package dev.holdfast.bench.chat;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run of turns measured.
 *
 * @param turns turns that were run to their end
 * @param nanos how long all of them took, from the first start to the last end
 * @param ackP50Millis median time from the append of a chunk to its durable acknowledgement, or NaN where it is not seen
 * @param ackP99Millis its 99th percentile
 * @param seenP50Millis median time from the append of a chunk to the reader's having it
 * @param seenP99Millis its 99th percentile
 * @param lost chunks that a reader never got
 * @param writtenBytes bytes that went to files, or -1 where they cannot be told from those of sockets
 * @param fsyncs syncs of the store, or -1 where they were not counted
 */
record TurnSample(
        long turns,
        long nanos,
        double ackP50Millis,
        double ackP99Millis,
        double seenP50Millis,
        double seenP99Millis,
        long lost,
        long writtenBytes,
        long fsyncs) {

    double chunksPerSecond() {
        return turns * (double) Deltas.CHUNKS * 1e9 / nanos;
    }

    /** Bytes written for each byte of the chunks, or NaN. */
    double amplification() {
        return writtenBytes < 0 ? Double.NaN : (double) writtenBytes / (turns * Deltas.CHUNKS * Deltas.CHUNK_BYTES);
    }

    double fsyncsPerTurn() {
        return fsyncs < 0 ? Double.NaN : (double) fsyncs / turns;
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("turns", turns);
        map.put("chunksPerSecond", chunksPerSecond());
        map.put("ackP50Millis", ackP50Millis);
        map.put("ackP99Millis", ackP99Millis);
        map.put("seenP50Millis", seenP50Millis);
        map.put("seenP99Millis", seenP99Millis);
        map.put("lostChunks", lost);
        map.put("bytesPerPayloadByte", amplification());
        map.put("fsyncsPerTurn", fsyncsPerTurn());
        return map;
    }
}
