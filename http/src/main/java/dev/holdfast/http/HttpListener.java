package dev.holdfast.http;

import java.io.IOException;

/**
 * A server that listens on one address and carries each request to one handler as an {@link Exchange}: the other end of the port. Made
 * stopped; started and closed once, by one thread.
 */
public interface HttpListener extends AutoCloseable {

    /**
     * @throws IOException if the address cannot be listened on
     */
    void start() throws IOException;

    /** The port it listens on, once it was started. */
    int port();

    /** Listens no more and cuts what is open; draining happens before. */
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
