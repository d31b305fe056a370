package dev.holdfast.bench.http.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;

/** One connection on which one answer is read after the other as it comes, by the thread that asks. One thread. */
public final class AnswerReader implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;

    /** Takes the content of an answer. */
    @FunctionalInterface
    public interface Content {
        void bytes(byte[] in, int from, int to);
    }

    private final SocketChannel channel;
    private final byte[] in = new byte[BUFFER_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(in);

    public AnswerReader(InetSocketAddress server) throws IOException {
        channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(server);
    }

    /**
     * Asks, and reads the answer to its end or until it is enough; after the latter the connection can only be closed.
     *
     * @throws IOException if the answer is no 200, or is cut
     */
    public void ask(byte[] request, Content content, BooleanSupplier enough) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(request);
        while (out.hasRemaining()) {
            int unused = channel.write(out);
        }
        ResponseParser parser = new ResponseParser(content::bytes);
        int kept = 0;
        boolean complete = false;
        while (!complete && !enough.getAsBoolean()) {
            view.clear().position(kept);
            int read = channel.read(view);
            if (read < 0) {
                throw new EOFException("the server closed the connection within its answer");
            }
            int end = kept + read;
            int taken = parser.feed(in, 0, end);
            complete = parser.complete();
            kept = end - taken;
            System.arraycopy(in, taken, in, 0, kept);
        }
        if (parser.status() != 200) {
            throw new IOException("the server answered " + parser.status());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
