package dev.holdfast.bench.postgres;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** All producers at once, each on a virtual thread: how many chunks become durable in a second, once they run. */
final class Crowd {

    private static final Duration RAMP = Duration.ofSeconds(1);

    private Crowd() {}

    static double chunksPerSecond(Producers producers, int chunkBytes, Duration window) throws Exception {
        LongAdder durable = new LongAdder();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Stop stop = new Stop();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < producers.count(); i++) {
            int producer = i;
            byte[] chunk = random(chunkBytes, i);
            threads.add(Thread.startVirtualThread(() -> {
                try {
                    producers.produce(producer, chunk, stop::goOn, durable);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        Thread.sleep(RAMP);
        long before = durable.sum();
        long start = System.nanoTime();
        Thread.sleep(window);
        long chunks = durable.sum() - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        stop.stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a producer failed; the figures of this run mean nothing", failed);
        }
        return chunks / seconds;
    }

    /** Bytes that cannot be compressed, the same in each run. */
    static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static final class Stop {
        private volatile boolean stopped;

        boolean goOn() {
            return !stopped;
        }
    }
}
