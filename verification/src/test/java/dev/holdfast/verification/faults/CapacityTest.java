package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.bytes;
import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.store.Committer;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Too much, too full, and closed: refused with a name, never hung (BOUNDED). */
final class CapacityTest {

    @TempDir
    Path folder;

    @Test
    void a_full_store_refuses_keeps_what_it_acknowledged_and_works_again_by_itself_once_there_is_room() {
        int chunkBytes = 64 << 10;
        try (Instance instance = new Instance(folder, Setup.defaults().withMaxStoreBytes(12L << 20))) {
            Streams streams = instance.streams();
            StreamWriter big = streams.open("big");
            StreamWriter other = streams.open("other");
            other.append("before");
            int written = 0;
            try {
                while (true) {
                    big.append(payload("big", written, chunkBytes));
                    written++;
                    instance.barrier();
                }
            } catch (StoreFull e) {
                assertThat(e).hasMessageContaining("Free space");
            }
            assertThat(written).isBetween(50, 192);
            assertThat(instance.committer().poison()).isNull();
            int kept = written;
            assertThatThrownBy(() -> big.append(payload("big", kept, chunkBytes)))
                    .isInstanceOf(StoreFull.class);

            instance.restart();
            Streams again = instance.streams();
            List<Chunk> read = Reading.all(again, "big", 0, Reading.MAX_BYTES);
            assertThat(read).hasSize(written);
            for (int i = 0; i < written; i++) {
                assertThat(read.get(i).toByteArray()).isEqualTo(payload("big", i, chunkBytes));
            }

            assertThat(again.delete("big")).as("deleting works on a full store").isTrue();
            for (int i = 0; i < 10; i++) {
                instance.clock().advance(Duration.ofMinutes(1)); // upkeep that failed is tried again
                instance.settleDown();
            }
            StreamWriter fresh = again.open("fresh");
            for (int i = 0; i < 20; i++) {
                fresh.append(payload("fresh", i, chunkBytes));
            }
            assertThat(allTexts(again, "other")).containsExactly("before");
        }
    }

    @Test
    void a_full_queue_refuses_futures_at_once_and_lets_blocking_callers_wait() throws Exception {
        try (Instance instance =
                        new Instance(folder, Setup.defaults().withCommitter(new Committer.Limits(100_000, 8 << 20)));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            StreamWriter writer = instance.streams().open("s");
            CountDownLatch release = instance.hold();
            List<CompletableFuture<AppendResult>> accepted = new ArrayList<>();
            assertThatThrownBy(() -> {
                        while (true) {
                            accepted.add(writer.appendAsync(AppendRequest.of(List.of(new byte[1000]))));
                        }
                    })
                    .isInstanceOf(Overloaded.class);
            assertThat(accepted).hasSizeBetween(50, 100);
            Future<AppendResult> waits = threads.submit(() -> writer.append("patient"));
            release.countDown();

            for (int i = 0; i < accepted.size(); i++) {
                assertThat(accepted.get(i).get().firstSeq()).isEqualTo(i);
            }
            assertThat(waits.get().firstSeq()).isEqualTo(accepted.size());
            assertThat(writer.appendAsync(AppendRequest.of(chunks("again")))
                            .get()
                            .duplicate())
                    .isFalse();
        }
    }

    @Test
    void a_batch_is_bounded_so_that_a_long_queue_becomes_several_commits() throws Exception {
        try (Instance instance =
                new Instance(folder, Setup.defaults().withCommitter(new Committer.Limits(64 << 20, 100_000)))) {
            StreamWriter writer = instance.streams().open("s");
            long commits = instance.commitsOf(() -> {
                CountDownLatch release = instance.hold();
                List<CompletableFuture<AppendResult>> all = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    all.add(writer.appendAsync(AppendRequest.of(List.of(new byte[10_000]))));
                }
                release.countDown();
                all.getLast().get();
            });
            assertThat(commits).isBetween(10L, 13L);
        }
    }

    @Test
    void a_future_fails_with_the_same_errors_and_its_continuation_may_block_on_the_next_append() throws Exception {
        try (Instance instance = new Instance(folder)) {
            StreamWriter writer = instance.streams().open("s");
            AppendResult second = writer.appendAsync(AppendRequest.of(chunks("a")))
                    .thenApply(first -> writer.append("b"))
                    .get();
            assertThat(second.firstSeq()).isEqualTo(1);

            writer.settle(Settlement.completed());
            assertThatThrownBy(() ->
                            writer.appendAsync(AppendRequest.of(chunks("c"))).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StreamClosed.class);
        }
    }

    @Test
    void closing_finishes_what_is_queued_and_refuses_what_comes_later() throws Exception {
        Instance instance = new Instance(folder);
        StreamWriter writer = instance.streams().open("s");
        CountDownLatch release = instance.hold();
        List<CompletableFuture<AppendResult>> queued = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            queued.add(writer.appendAsync(AppendRequest.of(List.of(bytes("q" + i)))));
        }
        Thread closing = Thread.ofVirtual().start(instance::close);
        release.countDown();
        closing.join();
        for (CompletableFuture<AppendResult> each : queued) {
            assertThat(each).isCompleted();
        }
        assertThatThrownBy(() -> writer.append("late")).isInstanceOf(Closed.class);
        assertThatThrownBy(() -> writer.appendAsync(AppendRequest.of(chunks("late"))))
                .isInstanceOf(Closed.class);
        try (Instance again = new Instance(folder)) {
            assertThat(allTexts(again.streams(), "s")).hasSize(20);
        }
    }

    @Test
    void closing_ends_readers_that_wait_and_refuses_new_waits() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Instance instance = new Instance(folder);
            instance.streams().open("s").append("a");
            StreamReader reader = instance.streams().tail("s", 1);
            Future<ReadBatch> waiting = threads.submit(() -> reader.next(100));
            instance.close();

            assertThatThrownBy(waiting::get).hasCauseInstanceOf(Closed.class);
            assertThatThrownBy(() -> reader.next(100)).isInstanceOf(Closed.class);
            reader.close();
        }
    }
}
