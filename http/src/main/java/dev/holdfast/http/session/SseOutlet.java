package dev.holdfast.http.session;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Messages as server-sent events without a name. */
final class SseOutlet implements Outlet {

    private final SseWriter writer;
    private int collected;

    private SseOutlet(SseWriter writer) {
        this.writer = writer;
    }

    /** Begins the response. */
    static SseOutlet open(Exchange exchange, SseSettings settings) throws IOException {
        return new SseOutlet(SseWriter.open(exchange, settings));
    }

    @Override
    public void add(byte[] json) throws IOException {
        writer.frames().event(null, null, ByteBuffer.wrap(json));
        collected += json.length;
        if (collected >= TransportLimits.MAX_FRAME_BYTES) {
            boolean unused = flush();
        }
    }

    @Override
    public boolean flush() throws IOException {
        boolean some = collected > 0;
        writer.flush();
        collected = 0;
        return some;
    }
}
