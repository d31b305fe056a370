package dev.holdfast.http.sse;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Rotation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One connection of server-sent events. Frames that were collected are written together, one write and one flush; heartbeats only go out
 * when nothing else did. Caches, compressors and proxies are told to leave the bytes alone, and the head goes out at once with a hint when to
 * come back.
 *
 * <p>One thread at a time.
 */
public final class SseWriter {

    /** How long a silent stream without heartbeats waits between two looks at whether its client is gone. */
    private static final Duration WITHOUT_HEARTBEAT = Duration.ofMinutes(1);

    private final Exchange exchange;
    private final SseSettings settings;
    private final Exchange.Sink sink;
    private final SseFrames frames = new SseFrames();
    private final Rotation rotation;

    private SseWriter(Exchange exchange, SseSettings settings, Exchange.Sink sink) {
        this.exchange = exchange;
        this.settings = settings;
        this.sink = sink;
        this.rotation = Rotation.after(settings.rotateAfter(), settings.time());
    }

    /** Begins the response. */
    public static SseWriter open(Exchange exchange, SseSettings settings) throws IOException {
        return open(exchange, settings, new Headers());
    }

    /** As {@link #open(Exchange, SseSettings)}, with more headers. */
    public static SseWriter open(Exchange exchange, SseSettings settings, Headers headers) throws IOException {
        headers.set("Content-Type", "text/event-stream; charset=utf-8")
                .set("Cache-Control", "no-store, no-transform")
                .set("X-Accel-Buffering", "no")
                .set("X-Content-Type-Options", "nosniff");
        SseWriter writer = new SseWriter(exchange, settings, exchange.respond(200, headers));
        writer.frames.retry(settings.retry());
        writer.flush();
        return writer;
    }

    /** Where to collect what {@link #flush()} writes. */
    public SseFrames frames() {
        return frames;
    }

    /** Writes what was collected. */
    public void flush() throws IOException {
        if (!frames.isEmpty()) {
            sink.write(frames.take());
            sink.flush();
        }
    }

    /** How long to wait for something to write before {@link #idle()} is due. */
    public Duration patience() {
        Duration silence = settings.heartbeat().isZero() ? WITHOUT_HEARTBEAT : settings.heartbeat();
        if (!rotation.isEver()) {
            return silence;
        }
        Duration left =
                Duration.ofNanos(Math.max(0, rotation.at() - settings.time().monotonicNanos()));
        return left.compareTo(silence) < 0 ? left : silence;
    }

    /** Nothing happened for as long as {@link #patience()}. */
    public void idle() throws IOException {
        if (exchange.gone()) {
            throw new IOException("The client is gone");
        }
        if (!settings.heartbeat().isZero()) {
            frames.comment("");
            flush();
        }
    }

    /** Whether the connection is old enough to be cut on purpose. */
    public boolean rotationDue() {
        return rotation.isDue();
    }

    /** Says that the connection ends on purpose, then cuts it: whoever does not know the event still takes the end for no end. */
    public void rotate() throws IOException {
        frames.event("reconnect", null, ByteBuffer.wrap("{}".getBytes(StandardCharsets.US_ASCII)));
        flush();
        exchange.abort();
    }
}
