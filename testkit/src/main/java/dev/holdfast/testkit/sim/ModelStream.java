package dev.holdfast.testkit.sim;

import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one incarnation of a stream should be: a list of chunks, and a few facts. */
final class ModelStream {

    /** A call may find the clock so much later than its batch did: a commit callback takes its time. */
    static final long CALLBACK_MILLIS = 6_000;

    /** What a stream is created with; 0 for no limit. */
    record Terms(
            @Nullable String tag,
            String contentType,
            long ttlMillis,
            long expiresAt,
            @Nullable Retention retention) {

        static Terms of(@Nullable String tag, long ttlMillis) {
            return new Terms(tag, StreamOptions.DEFAULT_CONTENT_TYPE, ttlMillis, 0, null);
        }
    }

    /** Where a fork branched off; {@code depth} counts its ancestors. */
    record Origin(int source, long at, long past, Fork.Unit unit, int depth) {}

    /** When a chunk was committed: no earlier, and no later. */
    record Stamp(long earliest, long latest) {}

    final int serial;
    final String name;
    final Terms terms;
    final @Nullable Origin origin;
    final List<byte[]> chunks;
    final List<Stamp> stamps;
    final Map<String, Producer> producers;

    /** 0 until the core told it. */
    long incarnation;

    long epoch = 1;

    /** At least everything below is trimmed; retention may have trimmed more, see {@link Retentions}. */
    long first;

    /** So much may have been trimmed of what it was forked from. */
    long trimmedBefore;

    StreamState state = StreamState.LIVE;

    @Nullable
    String error;

    @Nullable
    Long checkpoint;

    /** Number of its newest order, or -1. */
    int order = -1;

    /** The append that settled it. */
    @Nullable
    Producer closing;

    /** Streams that were forked from it and hold it. */
    int forks;

    boolean gone;

    /** Gone because it expired; the core need not have written that down yet, so it holds its source still. */
    boolean lapsed;

    long goneAt;
    long touchedAt;
    long lastAppendAt;

    ModelStream(int serial, String name, Terms terms, @Nullable Origin origin, long now) {
        this.serial = serial;
        this.name = name;
        this.terms = terms;
        this.origin = origin;
        this.chunks = new ArrayList<>();
        this.stamps = new ArrayList<>();
        this.producers = new TreeMap<>();
        this.touchedAt = now;
        this.lastAppendAt = now;
    }

    private ModelStream(ModelStream other) {
        serial = other.serial;
        name = other.name;
        terms = other.terms;
        origin = other.origin;
        chunks = new ArrayList<>(other.chunks);
        stamps = new ArrayList<>(other.stamps);
        producers = new TreeMap<>(other.producers);
        incarnation = other.incarnation;
        epoch = other.epoch;
        first = other.first;
        trimmedBefore = other.trimmedBefore;
        state = other.state;
        error = other.error;
        checkpoint = other.checkpoint;
        order = other.order;
        closing = other.closing;
        forks = other.forks;
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

    /** Whether it ends by itself some time. */
    boolean expires() {
        return terms.ttlMillis() > 0 || terms.expiresAt() > 0;
    }

    /** Whether it may have ended by itself: nobody is known to have used it for its time to live. */
    boolean mayBeExpired(long now) {
        long ttl = terms.ttlMillis();
        return ttl > 0 ? now >= touchedAt + ttl : terms.expiresAt() > 0 && now >= terms.expiresAt();
    }

    /** Whether it cannot be there any more. */
    boolean mustBeExpired(long now) {
        return terms.expiresAt() > 0 && now >= terms.expiresAt() + CALLBACK_MILLIS;
    }

    /** Whether others can hold or free its name or that of another stream by its end. */
    boolean hasKin() {
        return origin != null || forks > 0;
    }

    /** Whether it is gone, but nobody else can have its name. */
    boolean keepsName() {
        return gone && forks > 0;
    }

    void add(List<byte[]> more, long now) {
        if (!more.isEmpty()) {
            for (byte[] chunk : more) {
                add(chunk, new Stamp(now, now));
            }
            lastAppendAt = now;
            touchedAt = now;
        }
    }

    void add(byte[] chunk, Stamp committed) {
        chunks.add(chunk);
        stamps.add(committed);
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
