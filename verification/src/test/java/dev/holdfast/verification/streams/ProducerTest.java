package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendRequest.Checkpoint;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes an append safe to repeat: producers, checkpoints, and the expected tail. */
final class ProducerTest {

    @TempDir
    Path folder;

    private Instance instance;
    private Streams streams;
    private StreamWriter writer;

    @BeforeEach
    void open() {
        instance = new Instance(folder);
        streams = instance.streams();
        writer = streams.open("s");
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private void restart() {
        instance.restart();
        streams = instance.streams();
        writer = streams.open("s");
    }

    private AppendResult send(String id, long epoch, long seq, String text) {
        return writer.append(AppendRequest.of(chunks(text)).from(new Producer(id, epoch, seq)));
    }

    private static AppendResult result(long firstSeq, long nextSeq, boolean duplicate, long accepted) {
        return new AppendResult(firstSeq, nextSeq, duplicate, false, OptionalLong.of(accepted));
    }

    @Test
    void a_repeated_append_is_answered_as_a_duplicate_and_written_once_also_after_a_restart() {
        assertThat(send("p", 0, 0, "a")).isEqualTo(result(0, 1, false, 0));
        assertThat(send("p", 0, 1, "b")).isEqualTo(result(1, 2, false, 1));
        assertThat(send("p", 0, 1, "b")).isEqualTo(result(2, 2, true, 1));
        assertThat(send("p", 0, 0, "a")).isEqualTo(result(2, 2, true, 1));

        restart();

        assertThat(send("p", 0, 1, "b")).isEqualTo(result(2, 2, true, 1));
        assertThat(send("p", 0, 2, "c")).isEqualTo(result(2, 3, false, 2));
        assertThat(allTexts(streams, "s")).containsExactly("a", "b", "c");
    }

    @Test
    void a_duplicate_is_told_only_after_the_commit_that_wrote_the_original_VISIBLE_IS_DURABLE() throws Exception {
        AppendRequest request = AppendRequest.of(chunks("a")).from(new Producer("p", 0, 0));
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> original = writer.appendAsync(request);
        CompletableFuture<AppendResult> repeated = writer.appendAsync(request);
        assertThat(repeated).isNotDone();
        release.countDown();

        assertThat(original.get()).isEqualTo(result(0, 1, false, 0));
        assertThat(repeated.get()).isEqualTo(result(1, 1, true, 0));
        assertThat(allTexts(streams, "s")).containsExactly("a");
    }

    @Test
    void a_gap_is_refused_with_both_numbers_and_nothing_is_written() {
        assertThatThrownBy(() -> send("p", 0, 1, "x"))
                .isInstanceOfSatisfying(
                        ProducerGap.class, e -> assertThat(e.expected()).isZero());
        send("p", 0, 0, "a");
        assertThatThrownBy(() -> send("p", 0, 2, "x")).isInstanceOfSatisfying(ProducerGap.class, e -> {
            assertThat(e.expected()).isEqualTo(1);
            assertThat(e.received()).isEqualTo(2);
        });
        assertThat(allTexts(streams, "s")).containsExactly("a");
    }

    @Test
    void a_higher_epoch_starts_at_0_and_fences_the_lower_one_also_after_a_restart() {
        send("p", 0, 0, "a");
        send("p", 0, 1, "b");
        assertThatThrownBy(() -> send("p", 1, 2, "x")).isInstanceOf(ProducerGap.class);
        send("p", 1, 0, "c");
        assertThatThrownBy(() -> send("p", 0, 2, "x"))
                .isInstanceOfSatisfying(
                        StaleProducer.class, e -> assertThat(e.currentEpoch()).isEqualTo(1));
        restart();
        assertThatThrownBy(() -> send("p", 0, 2, "x")).isInstanceOf(StaleProducer.class);
        send("p", 1, 1, "d");
        assertThat(allTexts(streams, "s")).containsExactly("a", "b", "c", "d");
    }

    @Test
    void producers_do_not_disturb_each_other() {
        send("p", 0, 0, "p0");
        send("q", 7, 0, "q0");
        send("p", 0, 1, "p1");
        send("q", 7, 1, "q1");
        assertThat(allTexts(streams, "s")).containsExactly("p0", "q0", "p1", "q1");
    }

    @Test
    void a_duplicate_of_a_settled_stream_is_still_a_duplicate_and_a_new_append_is_refused() {
        send("p", 0, 0, "a");
        writer.settle(Settlement.completed());
        instance.settleDown();

        assertThat(send("p", 0, 0, "a").duplicate()).isTrue();
        assertThatThrownBy(() -> send("p", 0, 1, "b")).isInstanceOf(StreamClosed.class);
    }

    @Test
    void producers_survive_sealing_and_the_release_of_the_log() {
        byte[] big = new byte[StreamLimits.MAX_BLOCK_BYTES / 2];
        for (int i = 0; i < 9; i++) {
            writer.append(AppendRequest.of(List.of(big)).from(new Producer("p", 3, i)));
            instance.settleDown();
        }
        restart();
        assertThat(send("p", 3, 8, "dup").duplicate()).isTrue();
        assertThat(send("p", 3, 9, "next").duplicate()).isFalse();
    }

    @Test
    void a_stream_remembers_a_bounded_number_of_producers_also_within_one_batch_BOUNDED() {
        List<CompletableFuture<AppendResult>> all = new ArrayList<>();
        CountDownLatch release = instance.hold();
        for (int i = 0; i < StreamLimits.MAX_PRODUCERS + 10; i++) {
            all.add(writer.appendAsync(AppendRequest.of(chunks("x")).from(new Producer("p" + i, 0, 0))));
        }
        release.countDown();
        instance.barrier();

        long refused =
                all.stream().filter(f -> failure(f) instanceof LimitExceeded).count();
        assertThat(refused).isEqualTo(10);
        assertThat(send("p0", 0, 1, "known").duplicate()).isFalse();
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return future.handle((value, error) -> error == null ? new AssertionError("succeeded") : error)
                .join();
    }

    @Test
    void a_checkpoint_is_committed_with_its_chunks_and_is_there_after_a_restart_S23() {
        assertThat(writer.checkpoint("upstream")).isEmpty();
        writer.append(AppendRequest.of(chunks("a")).with(new Checkpoint("upstream", 7)));
        writer.append(AppendRequest.of(List.of()).with(new Checkpoint("upstream", 9)));
        writer.append(AppendRequest.of(chunks("b")).with(new Checkpoint("other", 1)));
        assertThat(writer.checkpoint("upstream")).hasValue(9);

        restart();

        assertThat(writer.checkpoint("upstream")).hasValue(9);
        assertThat(writer.checkpoint("other")).hasValue(1);
        assertThat(allTexts(streams, "s")).containsExactly("a", "b");
    }

    @Test
    void a_checkpoint_never_goes_back_neither_later_nor_within_one_batch() throws Exception {
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> high =
                writer.appendAsync(AppendRequest.of(chunks("a")).with(new Checkpoint("c", 10)));
        CompletableFuture<AppendResult> low =
                writer.appendAsync(AppendRequest.of(chunks("b")).with(new Checkpoint("c", 5)));
        release.countDown();
        high.get();
        low.get();
        assertThat(writer.checkpoint("c")).hasValue(10);
        List<String> memory = instance.describe();

        restart();

        assertThat(writer.checkpoint("c")).hasValue(10);
        assertThat(instance.describe()).as("memory equals a rebuild").isEqualTo(memory);
    }

    @Test
    void a_stream_remembers_a_bounded_number_of_checkpoints_BOUNDED() {
        List<CompletableFuture<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < StreamLimits.MAX_PRODUCERS; i++) {
            all.add(writer.appendAsync(AppendRequest.of(chunks("x")).with(new Checkpoint("c" + i, 1))));
        }
        all.forEach(CompletableFuture::join);
        assertThatThrownBy(() -> writer.append(AppendRequest.of(chunks("x")).with(new Checkpoint("one more", 1))))
                .isInstanceOf(LimitExceeded.class);
        writer.append(AppendRequest.of(chunks("x")).with(new Checkpoint("c0", 2)));
        assertThat(writer.checkpoint("c0")).hasValue(2);
    }

    @Test
    void malformed_producers_and_checkpoints_are_refused() {
        assertThatThrownBy(() -> send("", 0, 0, "x")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> send("p", -1, 0, "x")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> send("p", 0, -1, "x")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> writer.append(AppendRequest.of(chunks("x")).with(new Checkpoint("c", -1))))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> writer.append(AppendRequest.of(chunks("x"))
                        .from(new Producer("p", 0, 0))
                        .with(new Checkpoint("c", 1))))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void an_append_at_an_expected_tail_is_refused_when_the_tail_is_another() {
        assertThat(writer.append(AppendRequest.of(chunks("a")).at(0)).nextSeq()).isEqualTo(1);
        assertThatThrownBy(() -> writer.append(AppendRequest.of(chunks("b")).at(0)))
                .isInstanceOf(PreconditionFailed.class);
        assertThatThrownBy(() -> writer.append(AppendRequest.of(chunks("b")).at(2)))
                .isInstanceOf(PreconditionFailed.class);
        assertThat(writer.append(AppendRequest.of(chunks("b")).at(1)).nextSeq()).isEqualTo(2);
    }

    @Test
    void of_two_appends_at_the_same_tail_in_one_batch_one_wins() throws Exception {
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> first =
                writer.appendAsync(AppendRequest.of(chunks("a")).at(0));
        CompletableFuture<AppendResult> second =
                writer.appendAsync(AppendRequest.of(chunks("b")).at(0));
        release.countDown();

        assertThat(first.get().nextSeq()).isEqualTo(1);
        assertThat(failure(second)).isInstanceOf(PreconditionFailed.class);
        assertThat(allTexts(streams, "s")).containsExactly("a");
    }
}
