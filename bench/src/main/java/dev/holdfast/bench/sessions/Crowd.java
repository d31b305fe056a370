package dev.holdfast.bench.sessions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Many watchers, on one thread: the one that calls. It is the driver of all that is measured, so it does little: one read for what a connection has, and a look
 * at its bytes.
 */
final class Crowd implements AutoCloseable {

    private static final int ROOM_BYTES = 256 << 10;
    private static final int OPENED_AT_ONCE = 256;
    private static final long SELECT_MILLIS = 5;
    private static final long LOOK_NANOS = 5_000_000;
    private static final long RETRY_NANOS = 500_000_000;
    private static final long MAX_NANOS = Duration.ofMinutes(5).toNanos();
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Selector selector = Selector.open();
    private final Room room = Room.of(ROOM_BYTES);
    private final Link.Opening opening;
    private final boolean replays;
    private final List<Watcher> watchers = new ArrayList<>();
    private final Tally tally = new Tally();

    private final Deque<Watcher> toOpen = new ArrayDeque<>();
    private final Deque<Again> again = new ArrayDeque<>();
    private int atOnce = OPENED_AT_ONCE;
    private int underway;
    private int caughtUp;
    private long cutAt;
    private final Histogram backAfter = new Histogram(MAX_NANOS, 2);
    private @Nullable Round round;

    private record Again(Watcher watcher, long at) {}

    /**
     * @param connections how many watchers there are
     * @param sessions the sessions that they share evenly
     * @param replays whether the server has for them what they missed
     */
    Crowd(InetSocketAddress server, Transport transport, int connections, int sessions, boolean replays)
            throws IOException {
        this.opening = transport.opening(server, selector);
        this.replays = replays;
        for (int i = 0; i < connections; i++) {
            watchers.add(new Watcher(this, i % sessions));
        }
    }

    Tally tally() {
        return tally;
    }

    /**
     * Opens them, some at a time, and waits until all watch.
     *
     * @throws IOException if one is refused, or it takes too long
     */
    void open() throws IOException {
        cutAt = System.nanoTime();
        toOpen.addAll(watchers);
        boolean all = pump(() -> caughtUp == watchers.size() || tally.faults() > 0, PATIENCE);
        if (!all || tally.faults() > 0) {
            throw new IOException(
                    "%d of %d watch; faults: %s".formatted(caughtUp, watchers.size(), tally.faultsByKind()));
        }
    }

    /**
     * Cuts them all, and lets them come back at once.
     *
     * @return whether all have caught up within the time
     */
    boolean storm(Duration atMost) throws IOException {
        backAfter.reset();
        toOpen.clear();
        again.clear();
        caughtUp = 0;
        underway = 0;
        atOnce = watchers.size();
        cutAt = System.nanoTime();
        for (Watcher watcher : watchers) {
            watcher.cut();
        }
        int unused = selector.selectNow(this::ready); // closes the channels whose keys are cancelled
        toOpen.addAll(watchers);
        return pump(() -> caughtUp == watchers.size(), atMost);
    }

    /** When a share of them had caught up, since the cut. */
    double backAfterSeconds(double percentile) {
        return backAfter.getTotalCount() == 0 ? Double.NaN : backAfter.getValueAtPercentile(percentile) / 1e9;
    }

    /** The chunks that are due from now on. */
    void expect(Round next) {
        round = next;
    }

    /** Reads until all have all chunks of the round, or the time is over. Returns whether they have. */
    boolean pumpToTheEnd(Round of, Duration atMost) throws IOException {
        return pump(() -> watchers.stream().allMatch(watcher -> watcher.expected() >= of.end()), atMost);
    }

    /** How many chunks have not come that were due up to the end of a round. */
    long missing(Round of) {
        return watchers.stream()
                .mapToLong(watcher -> Math.max(0, of.end() - watcher.expected()))
                .sum();
    }

    /** Reads until something holds, which is asked now and then, or the time is over; returns whether it holds. */
    boolean pump(BooleanSupplier done, Duration atMost) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        long lookAt = System.nanoTime();
        try {
            while (true) {
                long now = System.nanoTime();
                if (now - lookAt >= 0) {
                    if (done.getAsBoolean()) {
                        return true;
                    }
                    if (now - end >= 0) {
                        return false;
                    }
                    lookAt = now + LOOK_NANOS;
                }
                beginSome(now);
                int unused = selector.select(this::ready, SELECT_MILLIS);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void beginSome(long now) throws IOException {
        while (!again.isEmpty() && now - again.element().at() >= 0) {
            toOpen.add(again.remove().watcher());
        }
        while (underway < atOnce && !toOpen.isEmpty()) {
            underway++;
            toOpen.remove().begin(opening);
        }
    }

    private void ready(SelectionKey key) {
        Task task = (Task) key.attachment();
        try {
            task.ready(key, room);
        } catch (IOException e) {
            task.broken(e);
        }
    }

    /** A watcher's connection failed, or what it asked for; it tries again in a while. */
    void failed(Watcher watcher, String why) {
        tally.fault(why);
        if (watcher.caughtUp()) {
            caughtUp--;
        } else {
            underway--;
        }
        again.add(new Again(watcher, System.nanoTime() + RETRY_NANOS));
    }

    boolean hasWhatWasDue(int session, long expected, long nanos) {
        Round now = round;
        return now == null || !replays || expected >= now.dueBy(session, nanos);
    }

    void caughtUp(Watcher watcher) {
        caughtUp++;
        underway--;
        backAfter.recordValue(Math.clamp(System.nanoTime() - cutAt, 0, MAX_NANOS));
    }

    @Override
    public void close() throws IOException {
        for (Watcher watcher : watchers) {
            watcher.cut();
        }
        selector.close();
    }
}
