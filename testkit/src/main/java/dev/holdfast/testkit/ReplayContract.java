package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Store;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real threads on a real store: readers attach at random positions while writers append and settle with discard. The simulator has one
 * thread and all interleavings of steps; this has few interleavings of steps and all those of memory.
 *
 * <p>A store's own test class extends this one and says how it is opened.
 */
public abstract class ReplayContract {

    private static final int STREAMS = 6;
    private static final int READERS_PER_STREAM = 5;
    private static final int CHUNKS = "nightly".equals(System.getProperty("holdfast.profile")) ? 20_000 : 1_500;

    @TempDir
    Path folder;

    protected ReplayContract() {}

    /** Opens the store in this folder, which is empty. */
    protected abstract Store open(Path where);

    @Test
    void every_reader_sees_the_exact_sequence_from_wherever_it_attaches_while_it_grows_and_is_discarded_NO_SEAM()
            throws Exception {
        race(StreamLimits.defaults());
    }

    @Test
    void the_sequence_is_exact_while_blocks_are_sealed_early_and_the_log_is_released_EVERY_CURSOR() throws Exception {
        race(StreamLimits.defaults().withMaxJournalBytes(16 << 10).withMaxOpenBytes(8 << 10));
    }

    private void race(StreamLimits limits) throws Exception {
        StreamLimits patient = limits.withMaxLinger(Duration.ofHours(1)); // however slow the machine, no reader is cut
        HoldfastSettings settings = HoldfastSettings.defaults().withStreams(patient);
        try (Holdfast holdfast = Holdfast.open(open(folder), settings);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                String name = "stream" + i;
                StreamWriter writer = holdfast.streams().open(name);
                CountDownLatch attached = new CountDownLatch(READERS_PER_STREAM);
                int seed = i;
                work.add(threads.submit(writing(writer, new Random(seed), attached)));
                for (int r = 0; r < READERS_PER_STREAM; r++) {
                    Random random = new Random(1_000L * seed + r);
                    work.add(threads.submit(reading(holdfast, name, random, attached)));
                }
            }
            for (Future<?> each : work) {
                each.get();
            }
        }
    }

    /** Appends alone, in batches and without waiting, and ends only once every reader was there at least once. */
    private static Callable<Boolean> writing(StreamWriter writer, Random random, CountDownLatch attached) {
        return () -> {
            int next = 0;
            while (next < CHUNKS) {
                int count = Math.min(CHUNKS - next, 1 + random.nextInt(20));
                List<byte[]> batch = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    batch.add(chunk(next + i));
                }
                long first = next;
                assertThat(writer.appendAll(batch).firstSeq()).isEqualTo(first);
                next += count;
            }
            attached.await();
            writer.settle(Settlement.completed().discard());
            return true;
        };
    }

    /** Attaches again and again; the last time it stays until the end. */
    private static Callable<Boolean> reading(Holdfast holdfast, String name, Random random, CountDownLatch attached) {
        return () -> {
            for (int turn = 0; turn < 20; turn++) {
                try (StreamReader reader = holdfast.streams().tail(name, 0)) {
                    readSome(
                            holdfast,
                            name,
                            random,
                            random.nextInt((int) reader.status().tail() + 1));
                }
            }
            try (StreamReader reader = holdfast.streams()
                    .tail(
                            name,
                            random.nextInt(1
                                    + (int) holdfast.streams().read(name, 0, 1).tail()))) {
                attached.countDown();
                long next = reader.cursor().seq();
                while (true) {
                    ReadBatch batch = reader.next(1 + random.nextInt(2_000));
                    next = check(batch, next);
                    if (batch.ended()) {
                        assertThat(next).isEqualTo(CHUNKS);
                        assertThat(batch.state()).isEqualTo(StreamState.COMPLETED);
                        return true;
                    }
                }
            }
        };
    }

    private static void readSome(Holdfast holdfast, String name, Random random, long from) {
        try (StreamReader reader = holdfast.streams().tail(name, from)) {
            long next = from;
            for (int i = 0; i < 10; i++) {
                next = check(reader.read(1 + random.nextInt(2_000)), next);
            }
        } catch (StreamNotFound e) {
            throw new AssertionError("the stream is kept until this reader stayed", e);
        }
    }

    private static long check(ReadBatch batch, long from) {
        long next = from;
        for (Chunk chunk : batch.chunks()) {
            assertThat(chunk.seq()).isEqualTo(next);
            assertThat(chunk.toByteArray()).isEqualTo(chunk(next));
            next++;
        }
        assertThat(batch.nextSeq()).isEqualTo(next);
        return next;
    }

    /** 1 to about 200 bytes that tell the chunk's number. */
    private static byte[] chunk(long seq) {
        return (seq + ".".repeat((int) (seq * 31 % 190))).getBytes(StandardCharsets.UTF_8);
    }
}
