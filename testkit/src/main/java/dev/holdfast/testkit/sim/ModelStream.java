package dev.holdfast.testkit.sim;

import dev.holdfast.stream.Producer;
import dev.holdfast.stream.StreamState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one incarnation of a stream should be: a list of chunks, and a few facts. */
final class ModelStream {

    final int serial;
    final String name;
    final @Nullable String tag;
    final long ttlMillis;
    final List<byte[]> chunks;
    final Map<String, Producer> producers;

    /** 0 until the core told it. */
    long incarnation;

    long epoch = 1;
    long first;
    StreamState state = StreamState.LIVE;

    @Nullable
    String error;

    @Nullable
    Long checkpoint;

    boolean gone;

    /** Gone because it expired; the core need not have written that down yet. */
    boolean lapsed;

    long goneAt;
    long touchedAt;
    long lastAppendAt;

    ModelStream(int serial, String name, @Nullable String tag, long ttlMillis, long now) {
        this.serial = serial;
        this.name = name;
        this.tag = tag;
        this.ttlMillis = ttlMillis;
        this.chunks = new ArrayList<>();
        this.producers = new TreeMap<>();
        this.touchedAt = now;
        this.lastAppendAt = now;
    }

    private ModelStream(ModelStream other) {
        serial = other.serial;
        name = other.name;
        tag = other.tag;
        ttlMillis = other.ttlMillis;
        chunks = new ArrayList<>(other.chunks);
        producers = new TreeMap<>(other.producers);
        incarnation = other.incarnation;
        epoch = other.epoch;
        first = other.first;
        state = other.state;
        error = other.error;
        checkpoint = other.checkpoint;
        gone = other.gone;
        lapsed = other.lapsed;
        goneAt = other.goneAt;
        touchedAt = other.touchedAt;
        lastAppendAt = other.lastAppendAt;
    }

    ModelStream copy() {
        return new ModelStream(this);
    }

    long tail() {
        return chunks.size();
    }

    boolean live() {
        return state == StreamState.LIVE;
    }

    /** Whether it may have ended by itself: nobody is known to have used it for its time to live. */
    boolean mayBeExpired(long now) {
        return ttlMillis > 0 && now >= touchedAt + ttlMillis;
    }

    void add(List<byte[]> more, long now) {
        if (!more.isEmpty()) {
            chunks.addAll(more);
            lastAppendAt = now;
            touchedAt = now;
        }
    }

    void end(long now) {
        gone = true;
        goneAt = now;
    }

    void lapse(long now) {
        lapsed = true;
        end(now);
    }

    void revive() {
        lapsed = false;
        gone = false;
    }
}
