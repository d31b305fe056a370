package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.store.FailStop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queue in front of the reading threads. */
final class ReadPoolTest {

    private static final int TOO_MANY = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    @Test
    void callers_beyond_MAX_QUEUED_READS_wait_for_room_and_are_all_served() throws Exception {
        SqliteStore.open(folder, Rows.settings()).close(); // makes the file
        Connections connections = new Connections(folder.resolve("holdfast.db"), Rows.settings());
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger served = new AtomicInteger();
        AtomicInteger mostQueued = new AtomicInteger();
        try (ReadPool pool =
                new ReadPool(List.of(connections.reader()), new SqlFailures("the store", new FailStop()))) {
            Thread first = Thread.ofVirtual()
                    .start(() -> pool.run(reads -> {
                        busy.countDown();
                        awaitUninterruptibly(release);
                        return 0;
                    }));
            busy.await();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < SqliteLimits.MAX_QUEUED_READS + TOO_MANY; i++) {
                callers.add(Thread.ofVirtual()
                        .start(() -> pool.run(reads -> {
                            mostQueued.accumulateAndGet(pool.queued(), Math::max);
                            return served.incrementAndGet();
                        })));
            }
            await().atMost(PATIENCE)
                    .until(() -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.WAITING));

            await().atMost(PATIENCE)
                    .until(() ->
                            pool.queued() == SqliteLimits.MAX_QUEUED_READS); // callers may wait for the lock a moment

            release.countDown();
            first.join();
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(served).hasValue(SqliteLimits.MAX_QUEUED_READS + TOO_MANY);
            assertThat(mostQueued.get()).isLessThanOrEqualTo(SqliteLimits.MAX_QUEUED_READS);
            assertThat(pool.queued()).isZero();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("a test was interrupted", e);
        }
    }
}
