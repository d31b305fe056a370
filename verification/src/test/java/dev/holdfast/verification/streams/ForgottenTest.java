package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Committer;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that left memory, and readers that are cut because they hold too much of it. */
final class ForgottenTest {

    private static final StreamLimits KEEPS_NONE = StreamLimits.defaults().withMaxCachedStreams(0);

    /** Each command makes a batch of its own. */
    private static final Committer.Limits ONE_BY_ONE = new Committer.Limits(64 << 20, 1);

    @TempDir
    Path folder;

    private final Fault fault = new Fault();

    @Test
    void a_writer_goes_on_though_its_stream_left_memory_in_between() {
        try (Instance instance = new Instance(folder, Setup.defaults().withStreams(KEEPS_NONE))) {
            StreamWriter writer = instance.streams().open("s");
            instance.settleDown();

            writer.append("first");

            assertThat(writer.tail().seq()).isEqualTo(1);
            assertThat(allTexts(instance.streams(), "s")).containsExactly("first");
        }
    }

    @Test
    void a_stream_that_is_not_in_memory_can_be_read_after_a_failed_sync_FAIL_STOP() {
        Setup setup = Setup.defaults().withStreams(KEEPS_NONE).withObserver(fault);
        try (Instance instance = new Instance(folder, setup)) {
            StreamWriter writer = instance.streams().open("s");
            writer.append("acknowledged");
            writer.settle(Settlement.completed());
            instance.settleDown();
            StreamWriter other = instance.streams().open("other");
            fault.arm(
                    "commit",
                    When.BEFORE,
                    0,
                    () -> new StorePoisoned("injected: the fsync failed", new IOException("injected")));
            assertThatThrownBy(() -> other.append("lost")).isInstanceOf(StorePoisoned.class);

            assertThat(allTexts(instance.streams(), "s")).containsExactly("acknowledged");
            assertThat(instance.streams().status("s")).isPresent();
            assertThat(instance.streams().status("nobody")).isEmpty();
        }
    }

    @Test
    void a_stream_that_came_into_memory_while_a_reader_looked_for_it_is_read_from_there_after_a_failed_sync() {
        Setup setup = Setup.defaults().withCommitter(ONE_BY_ONE).withObserver(fault);
        try (Instance instance = new Instance(folder, setup)) {
            StreamWriter other = instance.streams().open("other");
            fault.arm(
                    "commit",
                    When.BEFORE,
                    1,
                    () -> new StorePoisoned("injected: the fsync failed", new IOException("injected")));
            CountDownLatch release = instance.hold();
            var creation = StreamCreation.of(StreamOptions.DEFAULTS).with(chunks("acknowledged"));
            CompletableFuture<?> created =
                    queued(instance, () -> instance.streams().create("s", creation));
            CompletableFuture<?> lost = queued(instance, () -> other.append("lost"));
            CompletableFuture<List<String>> read = queued(instance, () -> allTexts(instance.streams(), "s"));
            release.countDown();

            created.join();
            assertThatThrownBy(lost::join).hasCauseInstanceOf(StorePoisoned.class);
            assertThat(read.join()).containsExactly("acknowledged");
        }
    }

    /** Waits until the call is queued behind what is queued already. */
    private static <T> CompletableFuture<T> queued(Instance instance, Supplier<T> call) {
        long before = instance.committer().queuedBytes();
        CompletableFuture<T> future =
                CompletableFuture.supplyAsync(call, body -> Thread.ofVirtual().start(body));
        await().until(() -> instance.committer().queuedBytes() > before);
        return future;
    }

    @Test
    void a_use_that_is_not_written_yet_is_not_forgotten_with_its_stream() {
        try (Instance instance = new Instance(folder, Setup.defaults().withStreams(KEEPS_NONE))) {
            StreamOptions options = StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(50));
            StreamWriter writer = instance.streams().open("s", options);
            StreamReader reader = instance.streams().tail("s", 0);
            instance.settleDown();
            instance.clock().advance(Duration.ofSeconds(27));
            CountDownLatch release = instance.hold();
            instance.streams().touch("s");
            CompletableFuture<AppendResult> appended = writer.appendAsync(AppendRequest.of(chunks("in time")));
            reader.close(); // now nothing holds it in memory
            instance.clock().advance(Duration.ofSeconds(49));
            release.countDown();

            assertThat(appended.join().nextSeq()).isEqualTo(1);
        }
    }

    @Test
    void streams_beyond_the_limit_leave_memory_oldest_first_but_none_that_holds_chunks_or_has_readers() {
        LookUps lookUps = new LookUps();
        Setup setup = Setup.defaults()
                .withStreams(StreamLimits.defaults().withMaxCachedStreams(3))
                .withObserver(lookUps);
        try (Instance instance = new Instance(folder, setup)) {
            Streams streams = instance.streams();
            streams.open("holds").append("not sealed");
            streams.open("read");
            StreamReader reader = streams.tail("read", 0);
            for (String name : List.of("a", "b", "c", "d")) {
                streams.open(name);
            }
            instance.settleDown();

            // three may stay, and the one that is read is one of them
            assertThat(List.of("holds", "read", "c", "d"))
                    .allSatisfy(name ->
                            assertThat(lookUps.of(() -> streams.status(name))).isZero());
            assertThat(lookUps.of(() -> streams.status("a"))).isPositive();
            instance.settleDown();
            assertThat(lookUps.of(() -> streams.status("a")))
                    .as("it came back, and is the newest now")
                    .isZero();
            reader.close();
        }
    }

    @Test
    void a_settled_stream_that_left_memory_is_read_trimmed_and_deleted_as_before() {
        try (Instance instance = new Instance(folder, Setup.defaults().withStreams(KEEPS_NONE))) {
            Streams streams = instance.streams();
            StreamWriter writer = streams.open("s");
            for (int i = 0; i < 5; i++) {
                writer.append("chunk " + i);
            }
            writer.settle(Settlement.completed());
            instance.settleDown();
            assertThat(allTexts(streams, "s")).hasSize(5);
            instance.settleDown();
            assertThat(streams.trim("s", 2)).isEqualTo(2);
            instance.settleDown();
            assertThat(streams.status("s").orElseThrow().firstSeq()).isEqualTo(2);
            assertThatThrownBy(() -> writer.append("late")).isInstanceOf(StreamClosed.class);
            assertThat(writer.settle(Settlement.completed()).settled()).isFalse();
            instance.settleDown();
            long key = streams.status("s").orElseThrow().position().key();
            assertThat(streams.delete("s")).isTrue();
            instance.settleDown();
            assertThat(instance.store().<Optional<?>>read(reads -> reads.stream(key)))
                    .isEmpty();
        }
    }

    /** Counts how often the committer looks for a stream's row. */
    private static final class LookUps implements StoreTap.Observer {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void before(String verb, List<String> earlier) {
            if (verb.equals("stream")) {
                count.incrementAndGet();
            }
        }

        int of(Runnable call) {
            int before = count.get();
            call.run();
            return count.get() - before;
        }
    }

    @Test
    void a_reader_of_a_discarded_stream_is_cut_when_what_it_holds_is_too_much_BOUNDED() {
        Setup setup = Setup.defaults().withStreams(StreamLimits.defaults().withMaxLingerBytes(1_000));
        try (Instance instance = new Instance(folder, setup)) {
            StreamWriter small = instance.streams().open("small");
            small.append("fits");
            StreamWriter large = instance.streams().open("large");
            large.append(new byte[2_000]);
            try (StreamReader ofSmall = instance.streams().tail("small", 0);
                    StreamReader ofLarge = instance.streams().tail("large", 0)) {
                small.settle(Settlement.completed().discard());
                assertThat(ofSmall.read(100).chunks()).hasSize(1);

                large.settle(Settlement.completed().discard());

                assertThatThrownBy(() -> ofLarge.read(100)).isInstanceOf(StreamNotFound.class);
            }
        }
    }
}
