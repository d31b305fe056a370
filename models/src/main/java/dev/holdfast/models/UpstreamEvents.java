package dev.holdfast.models;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The events of one answer, in batches: all that have arrived when the reader asks. So a slow disk makes bigger batches instead of a queue. Read by
 * one thread; {@link #cut} by any.
 */
final class UpstreamEvents implements AutoCloseable {

    private static final int READ_BYTES = 16 << 10;

    private final URI url;
    private final CompletableFuture<HttpResponse<InputStream>> answer;
    private final List<SseEvent> arrived = new ArrayList<>();
    private final SseParser parser = new SseParser(ModelLimits.MAX_EVENT_BYTES, arrived::add);
    private final byte[] buffer = new byte[READ_BYTES];
    private @Nullable InputStream in;
    private volatile boolean cut;

    UpstreamEvents(URI url, CompletableFuture<HttpResponse<InputStream>> answer) {
        this.url = url;
        this.answer = answer;
    }

    void begin(InputStream body) {
        this.in = body;
    }

    /**
     * The next events, at least one.
     *
     * @throws ProviderException.Cut if the stream ended instead
     * @throws InterruptedException if it was cut here
     */
    List<SseEvent> next() throws InterruptedException {
        arrived.clear();
        InputStream body = in;
        if (body == null) {
            throw new IllegalStateException("the answer has not begun");
        }
        while (arrived.isEmpty()) {
            int length = read(body);
            if (length < 0) {
                if (cut) {
                    throw Upstream.stopped();
                }
                throw new ProviderException.Cut(url);
            }
            parser.feed(buffer, 0, length);
        }
        return List.copyOf(arrived);
    }

    private int read(InputStream body) throws InterruptedException {
        try {
            return body.read(buffer);
        } catch (IOException e) {
            if (cut || Thread.interrupted()) {
                throw Upstream.stopped();
            }
            throw new ProviderException.Cut(url, e);
        }
    }

    /** Closes the connection at once, also while it is being made. */
    void cut() {
        cut = true;
        answer.cancel(true);
        if (answer.isDone() && !answer.isCompletedExceptionally()) {
            close(answer.join().body());
        }
    }

    boolean isCut() {
        return cut;
    }

    @Override
    public void close() {
        cut();
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // The connection is of no further use either way.
        }
    }
}
