package dev.holdfast.bench.load;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamWriter;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast under the driver, through its public API: each append is {@link StreamWriter#append(byte[])}.
 *
 * <p><b>Without seals</b> the streams are short, as turns are: a numbered stream is a series of streams, each of which is settled and
 * discarded when it has {@link #SHORT_STREAM_APPENDS} chunks, before it fills a block; the next one takes its place. They are opened before
 * the run; what their end costs is part of it. <b>With seals</b> the streams live for ever, so that every byte ends up in a
 * block and is trimmed from the journal.
 */
public final class HoldfastTarget implements Target {

    /** 100-byte chunks of a stream that stays below a block of 256 KiB. */
    public static final int SHORT_STREAM_APPENDS = 2_400;

    private static final long UNREACHED_BYTES = 16L << 30;

    private static final int OPENERS = 512;

    private final Holdfast holdfast;
    private final Series[] streams;
    private final int appendsPerStream;

    private HoldfastTarget(Holdfast holdfast, int streams, int appendsPerStream) {
        this.holdfast = holdfast;
        this.appendsPerStream = appendsPerStream;
        this.streams = new Series[streams];
    }

    private HoldfastTarget(Path folder, HoldfastSettings settings, int streams, int appendsPerStream, int generations)
            throws InterruptedException {
        this(Holdfast.open(folder, settings), streams, appendsPerStream);
        for (int i = 0; i < streams; i++) {
            this.streams[i] = new Series(generations);
        }
        inParallel(streams * generations, this::open);
    }

    /** @param maxAppends how many appends the run can make at most, over all streams */
    public static HoldfastTarget withoutSeals(Path folder, int streams, long maxAppends) throws InterruptedException {
        long generations = 1 + maxAppends / streams / SHORT_STREAM_APPENDS;
        return new HoldfastTarget(
                folder, unreachedLimits(), streams, SHORT_STREAM_APPENDS, Math.toIntExact(generations));
    }

    /** Every byte is sealed, with default limits. Call {@link #fill} before a run that is to see the steady state. */
    public static HoldfastTarget withSeals(Path folder, int streams) throws InterruptedException {
        return new HoldfastTarget(folder, HoldfastSettings.defaults(), streams, Integer.MAX_VALUE, 1);
    }

    /** Streams that live for ever, with limits so high that nothing is sealed early; for stores that are to be recovered. */
    public static HoldfastTarget unsealed(Path folder, int streams) throws InterruptedException {
        return new HoldfastTarget(folder, unreachedLimits(), streams, Integer.MAX_VALUE, 1);
    }

    /** Opens what {@link #unsealed} left. */
    public static HoldfastTarget reopened(Path folder) {
        return new HoldfastTarget(Holdfast.open(folder, unreachedLimits()), 0, Integer.MAX_VALUE);
    }

    /** How many chunks the first stream has. */
    public long tailOfFirst() {
        return holdfast.streams().open(name(0, 0)).tail().seq();
    }

    /** How many streams are live, up to a page of them. */
    int liveStreams() {
        return holdfast.streams().list(StreamListing.all()).size();
    }

    private static HoldfastSettings unreachedLimits() {
        return HoldfastSettings.defaults()
                .withStreams(StreamLimits.defaults()
                        .withMaxJournalBytes(UNREACHED_BYTES)
                        .withMaxOpenBytes(UNREACHED_BYTES));
    }

    private static String name(int stream, int generation) {
        return "s" + stream + "-" + generation;
    }

    /** Streams of one number, one after the other. */
    private static final class Series {
        final @Nullable StreamWriter[] generations;
        final AtomicLong begun = new AtomicLong();
        final AtomicIntegerArray done;

        Series(int count) {
            generations = new StreamWriter[count];
            done = new AtomicIntegerArray(count);
        }
    }

    private void open(int i) {
        int stream = i % streams.length;
        int generation = i / streams.length;
        streams[stream].generations[generation] = holdfast.streams().open(name(stream, generation));
    }

    /** A prime: streams are filled in an order that is not the one of their keys. */
    private static final long FILL_STEP = 7919;

    /** Appends this many bytes to all streams in turn, so that the journal reaches its limit and blocks are sealed. */
    public void fill(long bytes, int payloadBytes) throws InterruptedException {
        byte[] payload = new byte[payloadBytes];
        inParallel(Math.toIntExact(bytes / payloadBytes), i -> append((int) (i * FILL_STEP % streams.length), payload));
    }

    private static void inParallel(int count, IntConsumer action) throws InterruptedException {
        AtomicLong next = new AtomicLong();
        Thread[] threads = new Thread[Math.min(OPENERS, count)];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = Thread.startVirtualThread(() -> {
                for (long i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    action.accept((int) i);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Override
    public void append(int stream, byte[] payload) {
        Series series = streams[stream];
        int generation = (int) (series.begun.getAndIncrement() / appendsPerStream);
        StreamWriter writer = series.generations[generation];
        if (writer == null) {
            throw new IllegalStateException("stream " + stream + " was not opened; plan for more appends");
        }
        writer.append(payload);
        if (series.done.incrementAndGet(generation) == appendsPerStream) {
            writer.settle(Settlement.completed().discard());
            series.generations[generation] = null;
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
