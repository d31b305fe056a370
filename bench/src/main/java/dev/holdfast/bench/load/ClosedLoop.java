package dev.holdfast.bench.load;

import dev.holdfast.bench.report.ProcessCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The driver: producers on virtual threads, each of which appends, waits until its own append is durable, and appends again.
 *
 * <p>That is a <i>closed loop</i>: when the target stalls, its producers stall with it and send less, so the latencies are those that a
 * caller who waits sees, and not those of a queue that fills at a fixed rate. Floors and Holdfast are driven by this same class, so that
 * their figures can be set against each other.
 *
 * <p>The producers run for a while before the window opens, so that it sees the steady state. Each producer has its own histogram (1 % wide
 * buckets) and its own payload; nothing is shared between producers but the target.
 */
public final class ClosedLoop {

    private static final long LOWEST_NANOS = 1_000;
    private static final long HIGHEST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int SIGNIFICANT_DIGITS = 2;

    private enum Phase {
        RAMP,
        WINDOW,
        OVER
    }

    private final Target target;
    private final int producers;
    private final int streams;
    private final int payloadBytes;
    private volatile Phase phase = Phase.RAMP;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * @param producers how many append at the same time
     * @param streams how many streams they append to
     * @param payloadBytes size of one append
     */
    public ClosedLoop(Target target, int producers, int streams, int payloadBytes) {
        this.target = target;
        this.producers = producers;
        this.streams = streams;
        this.payloadBytes = payloadBytes;
    }

    /** Runs once; a loop cannot be run again. */
    public Sample run(Duration ramp, Duration window) throws InterruptedException {
        List<Histogram> histograms = new ArrayList<>(producers);
        List<Thread> threads = new ArrayList<>(producers);
        for (int i = 0; i < producers; i++) {
            Histogram histogram = new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
            histograms.add(histogram);
            int producer = i;
            threads.add(Thread.ofVirtual().unstarted(() -> produce(producer, histogram)));
        }
        threads.forEach(Thread::start);
        Thread.sleep(ramp);
        ProcessCounters before = ProcessCounters.now();
        long start = System.nanoTime();
        phase = Phase.WINDOW;
        Thread.sleep(window);
        phase = Phase.OVER;
        long nanos = System.nanoTime() - start;
        ProcessCounters used = ProcessCounters.now().since(before);
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a producer failed; the figures of this run mean nothing", failed);
        }
        return sample(histograms, nanos, used);
    }

    private Sample sample(List<Histogram> histograms, long nanos, ProcessCounters used) {
        Histogram all = new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
        histograms.forEach(all::add);
        long appends = all.getTotalCount();
        return new Sample(
                appends,
                nanos,
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                all.getMaxValue() / 1e3,
                appends * payloadBytes,
                used.writtenBytes(),
                used.cpuNanos());
    }

    private void produce(int producer, Histogram histogram) {
        byte[] payload = new byte[payloadBytes];
        Arrays.fill(payload, (byte) ('a' + producer % 26));
        try {
            for (long i = 0; phase != Phase.OVER; i++) {
                long before = System.nanoTime();
                target.append(streamOf(producer, i), payload);
                long latency = System.nanoTime() - before;
                if (phase == Phase.WINDOW) {
                    histogram.recordValue(Math.min(latency, HIGHEST_NANOS));
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** With fewer streams than producers they share them; with more, each producer goes round all of them, apart from the others. */
    private int streamOf(int producer, long append) {
        return (int) ((producer + append * producers) % streams);
    }
}
