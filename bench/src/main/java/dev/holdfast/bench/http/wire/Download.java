package dev.holdfast.bench.http.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;

/** One client that asks again and again for the same large answer, on one connection. One thread. */
public final class Download implements AutoCloseable {

    private static final int BUFFER_BYTES = 256 << 10;

    private final byte[] in = new byte[BUFFER_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(in);
    private final ByteBuffer request;
    private final Selector selector = Selector.open();
    private final Connection connection;
    private long received;

    public Download(InetSocketAddress server, byte[] request) throws IOException {
        this.request = ByteBuffer.wrap(request);
        this.connection = Connection.open(server, (bytes, from, to) -> received += to - from, selector);
    }

    /**
     * Asks once.
     *
     * @param expectedBytes how large the answer must be at least
     * @return the time from sending the request to having all of the answer
     * @throws IOException if it is smaller, or refused
     */
    public double millis(long expectedBytes) throws IOException {
        received = 0;
        long before = System.nanoTime();
        connection.send(request);
        boolean complete = false;
        while (!complete) {
            int unused = selector.select();
            selector.selectedKeys().clear();
            complete = connection.read(in, view);
        }
        double millis = (System.nanoTime() - before) / 1e6;
        if (connection.status() != 200 || received < expectedBytes) {
            throw new IOException("the answer has status %d and %d bytes instead of %d"
                    .formatted(connection.status(), received, expectedBytes));
        }
        return millis;
    }

    @Override
    public void close() throws IOException {
        connection.close();
        selector.close();
    }
}
