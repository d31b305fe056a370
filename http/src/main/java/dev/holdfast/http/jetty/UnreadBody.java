package dev.holdfast.http.jetty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Ends a response although its request's body is still on its way. Jetty resets such a stream of HTTP/2 at once, with a code that makes
 * clients throw away the answer as well, and closes such a connection of HTTP/1.1, which a kernel turns into a reset as soon as more of the
 * body arrives. So the whole answer leaves first, and what still comes of the body is dropped until it ends, for a while; the thread waits no
 * longer than that.
 */
final class UnreadBody {

    /** What is dropped of a body before its answer, to see whether that was all. */
    private static final int MAX_LOOKED_BYTES = 64 << 10;

    /** What is dropped of one body after its answer. */
    private static final int MAX_DROPPED_BYTES = 16 << 20;

    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    /** How many bodies are dropped at once, in a process; beyond it connections are closed or reset at once. */
    private static final Semaphore AT_ONCE = new Semaphore(256);

    private UnreadBody() {}

    /** Whether more of it is to come. What is there is dropped. */
    static boolean of(Request request) {
        return !dropAvailable(request, 0, MAX_LOOKED_BYTES).ended();
    }

    /**
     * Sends an answer and ends the exchange.
     *
     * @param answer the rest of the response
     */
    static void answer(Request request, Response response, byte[] answer, Callback callback) {
        try {
            Content.Sink.write(response, true, ByteBuffer.wrap(answer));
            if (!request.getHeaders().contains(HttpHeader.EXPECT)
                    && AT_ONCE.tryAcquire()) { // who asks first sends nothing after a refusal
                try {
                    drop(request);
                } finally {
                    AT_ONCE.release();
                }
            }
            callback.succeeded();
        } catch (IOException | RuntimeException e) {
            callback.failed(e);
        } catch (InterruptedException e) {
            callback.failed(e);
            Thread.currentThread().interrupt();
        }
    }

    private static void drop(Request request) throws InterruptedException {
        long end = System.nanoTime() + MAX_WAIT.toNanos();
        Dropped so = dropAvailable(request, 0, MAX_DROPPED_BYTES);
        while (!so.ended() && so.bytes() < MAX_DROPPED_BYTES) {
            CountDownLatch more = new CountDownLatch(1);
            request.demand(more::countDown);
            if (!more.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
            so = dropAvailable(request, so.bytes(), MAX_DROPPED_BYTES);
        }
    }

    /**
     * What was dropped so far.
     *
     * @param ended whether that was all, or nothing more can come
     */
    private record Dropped(long bytes, boolean ended) {}

    private static Dropped dropAvailable(Request request, long before, int max) {
        long bytes = before;
        while (bytes < max) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                return new Dropped(bytes, false);
            }
            bytes += chunk.remaining();
            boolean last = chunk.isLast() || Content.Chunk.isFailure(chunk);
            chunk.release();
            if (last) {
                return new Dropped(bytes, true);
            }
        }
        return new Dropped(bytes, false);
    }
}
