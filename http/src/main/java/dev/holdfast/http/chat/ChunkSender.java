package dev.holdfast.http.chat;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import dev.holdfast.uimessage.ChunkGate.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response to one client: what its view admits, less what it has already. Confined to the request's thread. */
final class ChunkSender {

    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    private final Exchange exchange;
    private final SseSettings settings;
    private final Headers headers = new Headers();

    private @Nullable SseWriter out;
    private boolean muted;
    private long skip;
    private boolean sent;
    private boolean broken;

    ChunkSender(Exchange exchange, SseSettings settings) {
        this.exchange = exchange;
        this.settings = settings;
    }

    /** Headers of a response that has not begun. */
    Headers headers() {
        return headers;
    }

    boolean opened() {
        return out != null;
    }

    /** The response, begun if it was not. */
    SseWriter writer() throws IOException {
        SseWriter writer = out;
        if (writer == null) {
            writer = SseWriter.open(exchange, settings, headers.set("x-vercel-ai-ui-message-stream", "v1"));
            out = writer;
        }
        return writer;
    }

    /** Leaves out everything until {@link #unmute}. */
    void mute() {
        muted = true;
    }

    void unmute() {
        muted = false;
    }

    /** Leaves out the next chunks. */
    void skip(long chunks) {
        skip = chunks;
    }

    /** Whether anything was sent. */
    boolean hasSent() {
        return sent;
    }

    /** Whether the client cannot follow, and its connection is to be cut. */
    boolean isBroken() {
        return broken;
    }

    void breakOff() {
        broken = true;
    }

    /**
     * Collects what is admitted.
     *
     * @param cursor the position behind it, if the client can come back to it
     */
    void send(Verdict verdict, @Nullable String cursor) {
        switch (verdict) {
            case Verdict.Cut cut -> broken = true;
            case Verdict.Send admitted -> {
                List<byte[]> chunks = admitted.chunks();
                for (int i = 0; i < chunks.size(); i++) {
                    send(chunks.get(i), i == chunks.size() - 1 ? cursor : null);
                }
            }
        }
    }

    private void send(byte[] chunk, @Nullable String cursor) {
        if (muted || broken) {
            return;
        }
        if (skip > 0) {
            skip--;
            return;
        }
        SseWriter writer = out;
        if (writer == null) {
            throw new IllegalStateException("A chunk was sent before the response began");
        }
        writer.frames().event(null, cursor, ByteBuffer.wrap(chunk));
        sent = true;
    }

    /** Writes what was collected. */
    void flush() throws IOException {
        writer().flush();
    }

    /** Ends the response as one that is complete. */
    void done() throws IOException {
        writer().frames().event(null, null, ByteBuffer.wrap(DONE));
        writer().flush();
    }
}
