package dev.holdfast.bench.http.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** One connection of the load generator, with at most one request in flight. One thread, which reads all its connections by one buffer. */
final class Connection implements AutoCloseable {

    private static final byte[] NOTHING = new byte[0];

    private final SocketChannel channel;
    private final ResponseParser parser;
    private byte[] carried = NOTHING;

    /** When the request left that is in flight. */
    long sentAt;

    /** Which request comes next. */
    int next;

    private Connection(SocketChannel channel, ResponseParser parser) {
        this.channel = channel;
        this.parser = parser;
    }

    /** Connects; the selector watches for what comes. */
    static Connection open(InetSocketAddress server, ResponseParser.Body body, Selector selector) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(server);
            channel.configureBlocking(false);
            Connection connection = new Connection(channel, new ResponseParser(body));
            channel.register(selector, SelectionKey.OP_READ, connection);
            return connection;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends a request that is small enough for an empty socket to take it whole. */
    void send(ByteBuffer request) throws IOException {
        request.rewind();
        int written = channel.write(request);
        if (request.hasRemaining()) {
            throw new IOException("the socket took only %d of %d bytes".formatted(written, request.limit()));
        }
    }

    /**
     * Reads what is there.
     *
     * @param in room for it
     * @param view the same room
     * @return whether a response is complete
     */
    boolean read(byte[] in, ByteBuffer view) throws IOException {
        System.arraycopy(carried, 0, in, 0, carried.length);
        view.clear().position(carried.length);
        int read = channel.read(view);
        if (read < 0) {
            throw new EOFException("the server closed the connection");
        }
        int end = carried.length + read;
        int taken = parser.feed(in, 0, end);
        carried = taken == end ? NOTHING : Arrays.copyOfRange(in, taken, end);
        return parser.complete();
    }

    int status() {
        return parser.status();
    }

    int headBytes() {
        return parser.headBytes();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
