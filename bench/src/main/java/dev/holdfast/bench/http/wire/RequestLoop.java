package dev.holdfast.bench.http.wire;

import dev.holdfast.bench.report.ProcessCounters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * A closed loop over HTTP/1.1: each connection sends a request, waits for its whole response, and sends the next. All connections are served
 * by the calling thread, the requests' bytes are made before, and of a response nothing is looked at but where it ends and its status: what the
 * generator costs is taken from the server, since both have the same processors.
 *
 * <p>Connections go round the requests, each beginning at another.
 */
public final class RequestLoop {

    private static final int BUFFER_BYTES = 256 << 10;
    private static final long HIGHEST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final long SELECT_MILLIS = 100;

    /** How often a server may cut connections before the run is given up. */
    private static final int MAX_RECONNECTS = 1_000;

    private final InetSocketAddress server;
    private final List<ByteBuffer> requests = new ArrayList<>();
    private final int connections;
    private final LongSupplier serverCpuNanos;

    private final byte[] in = new byte[BUFFER_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(in);
    private final Histogram latencies = new Histogram(1_000, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    private boolean counting;
    private boolean sending = true;
    private long refused;
    private int reconnects;
    private int headBytes;

    /**
     * @param requests whole requests, to send again and again
     * @param serverCpuNanos the processor time that the server has used so far
     */
    public RequestLoop(InetSocketAddress server, List<byte[]> requests, int connections, LongSupplier serverCpuNanos) {
        this.server = server;
        this.connections = connections;
        this.serverCpuNanos = serverCpuNanos;
        for (byte[] request : requests) {
            this.requests.add(
                    ByteBuffer.allocateDirect(request.length).put(request).flip());
        }
    }

    /** Runs once, for a while unmeasured and then measured; a loop cannot be run again. */
    public RequestSample run(Duration ramp, Duration window) throws IOException {
        try (Selector selector = Selector.open()) {
            try {
                return run(selector, ramp, window);
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        }
    }

    private RequestSample run(Selector selector, Duration ramp, Duration window) throws IOException {
        for (int i = 0; i < connections; i++) {
            start(selector, (int) ((long) i * requests.size() / connections));
        }
        pump(selector, ramp);
        long cpuBefore = serverCpuNanos.getAsLong();
        ProcessCounters before = ProcessCounters.now();
        long start = System.nanoTime();
        counting = true;
        pump(selector, window);
        long nanos = System.nanoTime() - start;
        ProcessCounters used = ProcessCounters.now().since(before);
        long serverCpu = serverCpuNanos.getAsLong() - cpuBefore;
        counting = false;
        sending = false;
        return new RequestSample(
                latencies.getTotalCount(),
                refused,
                nanos,
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getMaxValue() / 1e3,
                serverCpu,
                used.cpuNanos(),
                headBytes);
    }

    private void start(Selector selector, int firstRequest) throws IOException {
        Connection connection = Connection.open(server, ResponseParser.Body.IGNORED, selector);
        connection.next = firstRequest;
        send(connection, System.nanoTime());
    }

    private void pump(Selector selector, Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            int unused = selector.select(key -> ready(selector, key), SELECT_MILLIS);
        }
    }

    private void ready(Selector selector, SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (connection.read(in, view)) {
                answered(connection);
            }
        } catch (IOException e) {
            replace(selector, connection, e);
        }
    }

    private void answered(Connection connection) throws IOException {
        long now = System.nanoTime();
        headBytes = connection.headBytes();
        if (counting) {
            if (connection.status() / 100 == 2) {
                latencies.recordValue(Math.min(now - connection.sentAt, HIGHEST_NANOS));
            } else {
                refused++;
            }
        }
        if (sending) {
            send(connection, now);
        }
    }

    private void send(Connection connection, long now) throws IOException {
        connection.sentAt = now;
        connection.send(requests.get(connection.next));
        connection.next = connection.next + 1 == requests.size() ? 0 : connection.next + 1;
    }

    private void replace(Selector selector, Connection connection, IOException why) {
        try {
            connection.close();
            refused++;
            if (++reconnects > MAX_RECONNECTS) {
                throw new IllegalStateException("the server cuts its connections", why);
            }
            start(selector, connection.next);
        } catch (IOException e) {
            throw new IllegalStateException("the server is gone", e);
        }
    }
}
