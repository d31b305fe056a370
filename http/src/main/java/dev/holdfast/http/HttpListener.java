package dev.holdfast.http;

import java.io.IOException;

/**
 * A server that listens on one address and carries each request to one handler as an {@link Exchange}: the other end of the port. Made
 * stopped; bound, started and closed once, by one thread.
 */
public interface HttpListener extends AutoCloseable {

    /**
     * Takes the address, so that nobody else can have it. Who connects from now on waits until {@link #start()}; the handler is not called
     * before.
     *
     * @throws IOException if the address cannot be listened on
     */
    void bind() throws IOException;

    /**
     * Answers requests from now on. Binds first unless that was done.
     *
     * @throws IOException if the address cannot be listened on
     */
    void start() throws IOException;

    /** The port it listens on, once it was bound. */
    int port();

    /** Listens no more and cuts what is open, in whatever state it is; draining happens before. */
    @Override
    void close();

    /** Makes listeners. */
    @FunctionalInterface
    interface Factory {

        /**
         * @param host the address to listen on
         * @param port the port, or 0 for any
         */
        HttpListener listen(String host, int port, HttpLimits limits, HttpHandler handler);
    }

    /** A factory that is found by {@link java.util.ServiceLoader}, so that the server can run on another HTTP stack than its own. */
    interface Provider extends Factory {
        String name();
    }
}
