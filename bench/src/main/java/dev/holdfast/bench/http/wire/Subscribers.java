package dev.holdfast.bench.http.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** Many connections of server-sent events, read by the calling thread. */
public final class Subscribers implements AutoCloseable {

    private static final int BUFFER_BYTES = 256 << 10;
    private static final int OPENED_AT_ONCE = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long SELECT_MILLIS = 20;

    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Deliveries> deliveries = new ArrayList<>();
    private final Histogram latencies =
            new Histogram(1_000, Duration.ofMinutes(1).toNanos(), 2);
    private final byte[] in = new byte[BUFFER_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(in);

    private Subscribers() throws IOException {}

    /**
     * Opens them and waits until each has got its first bytes of content.
     *
     * @throws IOException if the server refuses one, or is silent for too long
     */
    public static Subscribers open(InetSocketAddress server, byte[] request, int count) throws IOException {
        Subscribers subscribers = new Subscribers();
        try {
            ByteBuffer bytes =
                    ByteBuffer.allocateDirect(request.length).put(request).flip();
            for (int i = 0; i < count; i++) {
                Deliveries mine = new Deliveries(subscribers.latencies);
                subscribers.deliveries.add(mine);
                Connection connection = Connection.open(server, mine, subscribers.selector);
                subscribers.connections.add(connection);
                connection.send(bytes);
                if ((i + 1) % OPENED_AT_ONCE == 0 || i + 1 == count) {
                    subscribers.awaitBegun();
                }
            }
            return subscribers;
        } catch (IOException | RuntimeException e) {
            subscribers.close();
            throw e;
        }
    }

    private void awaitBegun() throws IOException {
        if (!pump(() -> deliveries.stream().allMatch(Deliveries::begun), PATIENCE)) {
            throw new IOException("not all of %d subscribers got an answer".formatted(deliveries.size()));
        }
        for (Connection connection : connections) {
            if (connection.status() != 200) {
                throw new IOException("a subscriber was answered with " + connection.status());
            }
        }
    }

    /** Reads until something holds, which is asked often, or the time is over; returns whether it holds. */
    public boolean pump(BooleanSupplier done, Duration atMost) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        try {
            while (!done.getAsBoolean()) {
                if (System.nanoTime() - end >= 0) {
                    return false;
                }
                int unused = selector.select(this::ready, SELECT_MILLIS);
            }
            return true;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (((Connection) key.attachment()).read(in, view)) {
                throw new IOException("the server ended an event stream");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether each has got this many events. */
    public boolean allHave(long events) {
        for (int i = 0; i < deliveries.size(); i++) {
            if (deliveries.get(i).count() < events) {
                return false;
            }
        }
        return true;
    }

    /** Events delivered to all together. */
    public long delivered() {
        return latencies.getTotalCount();
    }

    /** How often a subscriber got another event than the next one. */
    public long disordered() {
        return deliveries.stream().mapToLong(Deliveries::disordered).sum();
    }

    /** Time from when an event was due to when a subscriber had it. */
    public double percentileMillis(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e6;
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.close();
        }
        selector.close();
    }
}
