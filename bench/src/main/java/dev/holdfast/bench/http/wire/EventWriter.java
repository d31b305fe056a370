package dev.holdfast.bench.http.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Posts events at a fixed rate on one connection, one at a time. An event is due at its time whether or not the one before was acknowledged:
 * a server that is late with one is late with all behind it, and that is measured.
 */
public final class EventWriter {

    private final InetSocketAddress server;
    private final String path;

    public EventWriter(InetSocketAddress server, String path) {
        this.server = server;
        this.path = path;
    }

    /**
     * Posts them all and returns the rate that was reached.
     *
     * @return events per second
     */
    public double write(int events, Duration interval) throws IOException {
        byte[] in = new byte[64 << 10];
        ByteBuffer view = ByteBuffer.wrap(in);
        try (Selector selector = Selector.open();
                Connection connection = Connection.open(server, ResponseParser.Body.IGNORED, selector)) {
            long start = System.nanoTime();
            for (int i = 0; i < events; i++) {
                long due = start + i * interval.toNanos();
                for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                connection.send(ByteBuffer.wrap(Requests.post(path, "application/json", Deliveries.event(i, due))));
                boolean answered = false;
                while (!answered) {
                    int unused = selector.select();
                    selector.selectedKeys().clear();
                    answered = connection.read(in, view);
                }
                if (connection.status() / 100 != 2) {
                    throw new IOException("an event was answered with " + connection.status());
                }
            }
            return events * 1e9 / (System.nanoTime() - start + interval.toNanos());
        }
    }
}
