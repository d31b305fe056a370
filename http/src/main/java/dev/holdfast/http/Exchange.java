package dev.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/**
 * One request and its response: the port between a wire and the server that carries it. Plain blocking code on a virtual thread; a slow
 * client blocks its own exchange and nobody else.
 *
 * <p>An exchange ends in one of two ways that a client can tell apart: the handler returns and the response ends cleanly, or
 * {@link #abort()} cuts the connection so that the client sees an error. A response that does not contain all it promised must be aborted,
 * never ended.
 *
 * <p>One thread at a time, except {@link #abort()} and {@link #gone()}, which any thread may call. A response that lives long need not keep one
 * while it has nothing to write: {@link #goOnApart}.
 */
public interface Exchange {

    RequestHead head();

    /** The request's body as it arrives; read at most once, and not necessarily to its end. */
    InputStream body();

    /**
     * Begins the response. Its head is sent with the first bytes or the first flush.
     *
     * @throws IllegalStateException if it was begun already
     */
    Sink respond(int status, Headers headers);

    /**
     * Answers with a response that is whole already: its head and its body leave together, as one write where they fit. Sets
     * {@code Content-Length}; a response that has no body by its status or its method gets none. The body must not be changed afterwards, and
     * may still be on its way when this returns.
     *
     * @throws IllegalStateException if a response was begun already
     */
    default void answer(int status, Headers headers, byte[] body) throws IOException {
        if (status != 204 && status != 304) {
            headers.set("Content-Length", Integer.toString(body.length));
        }
        Sink sink = respond(status, headers);
        if (!head().method().equals("HEAD")) {
            sink.write(body);
        }
        sink.flush();
    }

    /**
     * Goes on apart: once the handler has returned, the rest runs in parts, and the exchange has a thread only while one of them runs. For
     * responses that live long: between two parts nothing but their own state is held. At most once, as the handler's last act; the exchange
     * ends with the last part instead.
     *
     * <p>Where a binding cannot do it, all parts run at once, on this thread, which waits in between.
     */
    default void goOnApart(Rest rest) throws IOException, InterruptedException {
        Semaphore woken = new Semaphore(0);
        Runnable wake = woken::release;
        try (rest) {
            while (rest.goOn(wake)) {
                woken.acquire();
                woken.drainPermits(); // the part that follows answers them all
            }
        }
    }

    /**
     * Becomes a WebSocket: once the handler has returned, the upgrade is answered, and the rest runs in parts as in {@link #goOnApart},
     * beside which messages are received. At most once, as the handler's last act, and before any response was begun; afterwards a failure of
     * the handler aborts the exchange.
     *
     * <p>{@link #gone()} tells also that the client closed the socket, or that it was closed here. {@link #abort()} cuts the connection without
     * a close frame, which a client takes for code 1006; in a servlet container, which has no way to do so, it sends
     * {@link WebSocket#COME_BACK}.
     *
     * @throws HttpProblem 426 or 400 if the request asks for no WebSocket, or not properly; 501 where the binding has none
     */
    default void upgrade(Upgrade upgrade) {
        upgrade.check(head());
        throw HttpProblem.noWebSockets();
    }

    /** Whether something goes on when the handler has returned. */
    default boolean goesOnApart() {
        return false;
    }

    /** The rest of an exchange, in parts. One thread at a time, though not always the same one; what a part did, the next one sees. */
    interface Rest extends AutoCloseable {

        /**
         * Does what there is to do, and returns instead of waiting for more; only for its client it may wait. Throwing means what it means for
         * a handler, and ends the exchange.
         *
         * @param wake asks for another part. Any thread may run it, at any time and as often as it likes, also before this returns: no wake-up
         *     is lost, and several may be answered by one part. It does not block. The exchange runs it too, when it is aborted and when its
         *     client is found to be gone, where the binding can tell. The same one for all parts
         * @return whether the exchange waits to be woken; false if this was its last part
         */
        boolean goOn(Runnable wake) throws IOException, InterruptedException;

        /** Lets go of all that the rest holds. Called once, after the last part, whatever became of it. */
        @Override
        void close();
    }

    /** Whether a response was begun. */
    boolean responding();

    /** Cuts the connection at once. The client sees an error, never a clean end. Harmless when repeated or too late. */
    void abort();

    /**
     * The close signal: whether the client is known to be gone. A client that vanished without a word is noticed at the next write at the
     * earliest, which is what heartbeats are for.
     */
    boolean gone();

    /** The response's body. Writes block until the client takes them, and fail with {@link IOException} once it is gone. */
    interface Sink {

        void write(byte[] bytes, int offset, int length) throws IOException;

        default void write(byte[] bytes) throws IOException {
            write(bytes, 0, bytes.length);
        }

        /** Returns when all that was written is with the operating system. */
        void flush() throws IOException;
    }
}
