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
import org.jspecify.annotations.Nullable;

/** One connection of the load generator, with at most one request in flight. One thread, which reads all its connections by one buffer. */
public final class Connection implements AutoCloseable {

    private static final byte[] NOTHING = new byte[0];

    private final SocketChannel channel;
    private final ResponseParser parser;
    private byte[] carried = NOTHING;
    private @Nullable ByteBuffer first;

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

    /**
     * Begins to connect. Once the selector says that it may, go on with {@link #connected}.
     *
     * @param body takes what the server answers
     * @param owner what is attached to the selector's key
     * @param request is sent as soon as there is a connection
     */
    public static Connection begin(
            InetSocketAddress server, ResponseParser.Body body, Selector selector, Object owner, byte[] request)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            Connection connection = new Connection(channel, new ResponseParser(body));
            connection.first = ByteBuffer.wrap(request);
            boolean unused = channel.connect(server); // one that is there at once is selectable as well
            channel.register(selector, SelectionKey.OP_CONNECT, owner);
            return connection;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * There is a connection: the request leaves, and the selector watches for what comes.
     *
     * @throws IOException if there is none
     */
    public void connected(SelectionKey key) throws IOException {
        boolean unused = channel.finishConnect();
        ByteBuffer request = first;
        if (request != null) {
            first = null;
            send(request);
        }
        key.interestOps(SelectionKey.OP_READ);
    }

    /** Ends it so that the other side takes it for cut, and nothing of it is left here. */
    public void cut() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** Sends a request that is small enough for an empty socket to take it whole. */
    public void send(ByteBuffer request) throws IOException {
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
    public boolean read(byte[] in, ByteBuffer view) throws IOException {
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

    public int status() {
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
