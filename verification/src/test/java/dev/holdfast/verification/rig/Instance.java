package dev.holdfast.verification.rig;

import dev.holdfast.Holdfast;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.Timers;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Inspection;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.Streams;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/**
 * The streams of one real store, assembled as {@link Holdfast#open(Path)} does, with the parts in view and time in the test's hand.
 *
 * <p>{@link #hold()} keeps the committer between two batches, so that a test decides what comes into one batch; {@link #settleDown()} lets
 * all upkeep happen that is due. Neither needs to wait for a clock.
 */
public final class Instance implements AutoCloseable {

    private static final int MAX_UPKEEP_ROUNDS = 100_000;

    private final Path folder;
    private final Setup setup;
    private final ManualClock clock;

    private Store store;
    private Timers timers;
    private ExecutorService futures;
    private Committer committer;
    private StreamEngine engine;
    private boolean open;
    private volatile boolean upkeepWaits;

    /**
     * How the instance behaves.
     *
     * @param tap puts something in front of the store
     */
    public record Setup(
            StreamLimits streams, Committer.Limits committer, long maxStoreBytes, UnaryOperator<Store> tap) {

        public static Setup defaults() {
            return new Setup(
                    StreamLimits.defaults(), Committer.Limits.defaults(), Long.MAX_VALUE, untouched -> untouched);
        }

        public Setup withStreams(StreamLimits limits) {
            return new Setup(limits, committer, maxStoreBytes, tap);
        }

        public Setup withCommitter(Committer.Limits limits) {
            return new Setup(streams, limits, maxStoreBytes, tap);
        }

        public Setup withMaxStoreBytes(long bytes) {
            return new Setup(streams, committer, bytes, tap);
        }

        public Setup withObserver(StoreTap.Observer observer) {
            return new Setup(streams, committer, maxStoreBytes, store -> new StoreTap(store, observer));
        }
    }

    @SuppressWarnings("NullAway.Init") // start() sets the parts
    public Instance(Path folder, Setup setup, ManualClock clock) {
        this.folder = folder;
        this.setup = setup;
        this.clock = clock;
        start();
    }

    public Instance(Path folder, Setup setup) {
        this(folder, setup, new ManualClock());
    }

    public Instance(Path folder) {
        this(folder, Setup.defaults());
    }

    private void start() {
        StoreSettings settings = new StoreSettings(2, setup.maxStoreBytes(), Duration.ofSeconds(10), clock);
        store = setup.tap().apply(SqliteStore.open(folder, settings));
        timers = clock.timers();
        futures = Executors.newVirtualThreadPerTaskExecutor();
        committer = new Committer(store, clock, setup.committer(), futures);
        engine = new StreamEngine(store, committer, clock, timers, setup.streams());
        try {
            engine.recover();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        Maintenance upkeep = engine.upkeep();
        committer.maintain(idle -> upkeepWaits ? List.of() : upkeep.due(idle));
        committer.start();
        open = true;
    }

    public Streams streams() {
        return streams(Holdfast.DEFAULT_TENANT);
    }

    public Streams streams(String tenant) {
        return new Streams(engine, tenant);
    }

    public StreamEngine engine() {
        return engine;
    }

    public Committer committer() {
        return committer;
    }

    public Store store() {
        return store;
    }

    public ManualClock clock() {
        return clock;
    }

    public Path folder() {
        return folder;
    }

    /** Everything queued before is decided, committed and applied when this returns. */
    public void barrier() {
        Boolean unused = committer.execute(new Command<Boolean>() {
            @Override
            protected Boolean decide(CommitScope scope) {
                return true;
            }
        });
    }

    /** Runs upkeep until none is due. */
    public void settleDown() {
        long before = -1;
        for (int round = 0; committer.commits() != before; round++) {
            if (round > MAX_UPKEEP_ROUNDS) {
                throw new AssertionError("upkeep never comes to an end");
            }
            before = committer.commits();
            barrier(); // decides, with this batch, what is due
            barrier(); // sees what the batch before left
        }
    }

    /** The commits that the calls need; upkeep, which commits whenever it is due, waits until they have returned. */
    public long commitsOf(Calls calls) throws Exception {
        upkeepWaits = true;
        try {
            barrier(); // whatever upkeep began before is committed
            long before = committer.commits();
            calls.run();
            return committer.commits() - before;
        } finally {
            upkeepWaits = false;
            committer.nudge();
        }
    }

    /** Calls that may fail. */
    @FunctionalInterface
    public interface Calls {
        void run() throws Exception;
    }

    /** Keeps the committer from taking the next batch until the returned latch is counted down. */
    public CountDownLatch hold() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Command<Boolean> unused = committer.submit(new Command<Boolean>() {
            @Override
            protected Boolean decide(CommitScope scope) {
                entered.countDown();
                Instance.await(release);
                return true;
            }
        });
        await(entered);
        return release;
    }

    /** The committed state in memory, taken while the committer stands still. */
    public List<String> describe() {
        CountDownLatch release = hold();
        try {
            return engine.describe();
        } finally {
            release.countDown();
            barrier();
        }
    }

    /** The streams in memory that have no unsealed chunks, taken while the committer stands still. */
    public List<Inspection.Twins> twins() {
        CountDownLatch release = hold();
        try {
            return engine.inspection().twins();
        } finally {
            release.countDown();
            barrier();
        }
    }

    public static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("a test was interrupted", e);
        }
    }

    /** Closes it and opens the same folder again, as a restart does. */
    public void restart() {
        close();
        start();
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            committer.close();
            engine.close();
            timers.close();
            futures.close();
            store.close();
        }
    }
}
