package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.seqs;
import static dev.holdfast.verification.rig.Reading.texts;
import static dev.holdfast.verification.rig.Reading.untilEnd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Inspection.Audience;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Following a stream as it grows: replay and live are one loop (NO-SEAM). */
final class TailTest extends StreamsFixture {

    private ExecutorService threads;

    @BeforeEach
    void openThreads() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void closeThreads() {
        threads.shutdownNow();
    }

    private <T> Future<T> go(Callable<T> work) {
        return threads.submit(work);
    }

    @Test
    void a_reader_from_before_the_first_append_gets_every_chunk_and_the_end_S4() throws Exception {
        StreamWriter writer = streams.open("s");
        StreamReader reader = streams.tail("s", 0);
        Future<List<String>> read = go(() -> untilEnd(reader));
        writer.append("a");
        writer.append("b");
        writer.settle(Settlement.completed());

        assertThat(read.get()).containsExactly("a", "b");
        reader.close();
    }

    @Test
    void a_reader_that_comes_later_gets_the_replay_and_then_the_tail_S4() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b"));
        try (StreamReader reader = streams.tail("s", 1)) {
            ReadBatch replay = reader.next(100);
            assertThat(texts(replay)).containsExactly("b");
            assertThat(replay.upToDate()).isTrue();
            writer.append("c");
            assertThat(texts(reader.next(100))).containsExactly("c");
        }
    }

    @Test
    void a_large_audience_gets_every_chunk_and_the_end_S6() throws Exception {
        StreamWriter writer = streams.open("s");
        List<Future<List<String>>> audience = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            StreamReader reader = streams.tail("s", 0);
            audience.add(go(() -> untilEnd(reader)));
        }
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            written.add("" + i);
            writer.append("" + i);
        }
        writer.settle(Settlement.completed());

        for (Future<List<String>> each : audience) {
            assertThat(each.get()).isEqualTo(written);
        }
    }

    @Test
    void what_came_since_the_last_wake_up_arrives_as_one_batch_S5() throws Exception {
        StreamWriter writer = streams.open("s");
        try (StreamReader reader = streams.tail("s", 0)) {
            long commits = instance.commitsOf(() -> {
                CountDownLatch release = instance.hold();
                List<CompletableFuture<AppendResult>> burst = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    burst.add(writer.appendAsync(AppendRequest.of(chunks("" + i))));
                }
                assertThat(reader.read(1000).chunks()).as("VISIBLE-IS-DURABLE").isEmpty();
                release.countDown();
                burst.getLast().get();
            });

            assertThat(commits).isEqualTo(1);
            assertThat(reader.next(1000).chunks()).hasSize(50);
        }
    }

    @Test
    void an_append_while_the_consumer_holds_a_batch_is_delivered_S10() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        try (StreamReader reader = streams.tail("s", 0)) {
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ReadBatch held = reader.next(100);
                got.addAll(texts(held));
                writer.append("more"); // from inside the consumer, after the read and before the wait
            }
            assertThat(got).hasSize(100);
        }
    }

    @Test
    void a_settlement_between_a_batch_and_the_next_wait_loses_nothing_and_ends_the_reader_S7() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        try (StreamReader reader = streams.tail("s", 0)) {
            assertThat(texts(reader.next(100))).containsExactly("a");
            writer.append("b");
            writer.settle(Settlement.errored("out of tokens").append(chunks("c")));
            assertThat(untilEnd(reader)).containsExactly("b", "c");
            ReadBatch end = reader.next(100);
            assertThat(end.state()).isEqualTo(StreamState.ERRORED);
            assertThat(end.error()).isEqualTo("out of tokens");
        }
    }

    @Test
    void many_readers_at_different_positions_see_the_same_sequence_and_one_that_leaves_disturbs_nobody_S6()
            throws Exception {
        StreamWriter writer = streams.open("s");
        List<String> all = new ArrayList<>();
        List<Future<List<String>>> reads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String chunk = "chunk " + i;
            all.add(chunk);
            writer.append(chunk);
            int from = i;
            reads.add(go(() -> {
                try (StreamReader reader = streams.tail("s", from)) {
                    return untilEnd(reader);
                }
            }));
            StreamReader leaving = streams.tail("s", 0);
            leaving.read(1);
            leaving.close();
            leaving.close();
        }
        writer.settle(Settlement.completed());

        for (int i = 0; i < reads.size(); i++) {
            assertThat(reads.get(i).get()).isEqualTo(all.subList(i, all.size()));
        }
    }

    @Test
    void a_deletion_ends_a_waiting_reader_of_a_live_stream_as_not_found_S11() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        StreamReader reader = streams.tail("s", 1);
        Future<ReadBatch> waiting = go(() -> reader.next(100));
        assertThat(streams.delete("s")).isTrue();

        assertThatThrownBy(waiting::get).hasCauseInstanceOf(StreamNotFound.class);
        reader.close();
    }

    @Test
    void an_interrupt_ends_the_wait_of_each_of_many_readers_and_leaves_nothing_of_them_behind_S12() throws Exception {
        int many = 50;
        StreamWriter writer = streams.open("s");
        CountDownLatch told = new CountDownLatch(many);
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            waiting.add(Thread.ofVirtual().start(() -> {
                try (StreamReader reader = streams.tail("s", 0)) {
                    reader.next(100);
                } catch (InterruptedException e) {
                    told.countDown();
                }
            }));
        }
        waiting.forEach(thread ->
                await().until(() -> LockSupport.getBlocker(thread) instanceof StreamReader)); // it is parked in next()
        assertThat(instance.engine().inspection().audience()).isEqualTo(new Audience(many, many));

        waiting.forEach(Thread::interrupt);
        for (Thread thread : waiting) {
            thread.join();
        }

        assertThat(told.getCount()).as("readers that were not told").isZero();
        assertThat(instance.engine().inspection().audience()).isEqualTo(new Audience(0, 0));
        writer.settle(Settlement.completed().discard());
        assertThat(instance.clock().pending()).as("nobody lingers").isZero();
    }

    @Test
    void an_interrupt_from_before_the_wait_ends_it_and_leaves_the_reader_as_good_as_new_S11() throws Exception {
        StreamWriter writer = streams.open("s");
        try (StreamReader reader = streams.tail("s", 0)) {
            for (int i = 0; i < 1000; i++) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> reader.next(100)).isInstanceOf(InterruptedException.class);
            }
            writer.append("a");
            assertThat(texts(reader.next(100)))
                    .as("the reader is as good as new")
                    .containsExactly("a");
        }
    }

    @Test
    void closing_a_reader_ends_the_wait_of_the_thread_that_uses_it_S11() throws Exception {
        streams.open("s");
        StreamReader reader = streams.tail("s", 0);
        Future<ReadBatch> waiting = go(() -> reader.next(100));
        reader.close();

        assertThatThrownBy(waiting::get).hasCauseInstanceOf(Closed.class);
        assertThatThrownBy(() -> reader.next(100)).isInstanceOf(Closed.class);
    }

    @Test
    void a_wait_with_a_limit_ends_empty_when_nothing_happens_and_with_chunks_when_there_are_some() throws Exception {
        StreamWriter writer = streams.open("s");
        try (StreamReader reader = streams.tail("s", 0)) {
            assertThat(reader.next(100, Duration.ZERO)).isEmpty();
            writer.append("a");
            assertThat(texts(reader.next(100, Duration.ZERO).orElseThrow())).containsExactly("a");
        }
    }

    @Test
    void a_wake_up_comes_once_for_what_came_later_and_at_once_for_what_came_before_S9() {
        StreamWriter writer = streams.open("s");
        try (StreamReader reader = streams.tail("s", 0)) {
            AtomicInteger woken = new AtomicInteger();
            reader.onChange(woken::incrementAndGet);
            assertThat(woken).hasValue(0);
            writer.append("a");
            writer.append("b");
            assertThat(woken).hasValue(1);

            reader.onChange(woken::incrementAndGet);
            assertThat(woken).as("two chunks were not read yet").hasValue(2);

            assertThat(seqs(reader.read(100))).hasSize(2);
            Runnable cancelled = woken::incrementAndGet;
            reader.onChange(cancelled);
            reader.cancel(cancelled);
            writer.append("c");
            assertThat(woken).hasValue(2);
        }
    }

    @Test
    void a_wake_up_that_is_asked_for_after_the_reader_or_the_instance_was_closed_comes_at_once() {
        streams.open("s");
        AtomicInteger woken = new AtomicInteger();
        StreamReader closed = streams.tail("s", 0);
        closed.close();
        closed.onChange(woken::incrementAndGet);
        assertThat(woken).hasValue(1);

        StreamReader left = streams.tail("s", 0);
        instance.close();
        left.onChange(woken::incrementAndGet);
        assertThat(woken).hasValue(2);
        assertThatThrownBy(() -> left.next(100, Duration.ZERO)).isInstanceOf(Closed.class);
    }

    @Test
    @Tag("S61")
    void readers_that_replay_while_writers_append_see_every_chunk_once_and_in_order_NO_SEAM_S9() throws Exception {
        int writers = 4;
        int perWriter = 400;
        byte[] padding = new byte[2_000];
        StreamWriter writer = streams.open("s");
        List<Future<Boolean>> writing = new ArrayList<>();
        for (int w = 0; w < writers; w++) {
            int id = w;
            writing.add(go(() -> {
                for (int i = 0; i < perWriter; i++) {
                    writer.appendAll(List.of(Reading.bytes("%d:%d".formatted(id, i)), padding));
                }
                return true;
            }));
        }
        List<Future<List<String>>> reading = new ArrayList<>();
        for (int r = 0; r < 8; r++) {
            int maxBytes = 1 << (2 * r + 6);
            reading.add(go(() -> follow(maxBytes)));
        }
        for (Future<Boolean> each : writing) {
            each.get();
        }
        writer.settle(Settlement.completed());

        List<String> first = reading.getFirst().get();
        assertThat(first).hasSize(writers * perWriter);
        for (int w = 0; w < writers; w++) {
            String prefix = w + ":";
            List<String> own = first.stream().filter(t -> t.startsWith(prefix)).toList();
            for (int i = 0; i < perWriter; i++) {
                assertThat(own.get(i)).isEqualTo(prefix + i);
            }
        }
        for (Future<List<String>> each : reading) {
            assertThat(each.get()).isEqualTo(first);
        }
    }

    /** The texts of all chunks with an even position; the others are padding that makes blocks fill. */
    private List<String> follow(int maxBytes) throws InterruptedException {
        List<String> got = new ArrayList<>();
        long expected = 0;
        try (StreamReader reader = streams.tail("s", 0)) {
            while (true) {
                ReadBatch batch = reader.next(maxBytes);
                for (var chunk : batch.chunks()) {
                    assertThat(chunk.seq()).isEqualTo(expected++);
                    if (chunk.seq() % 2 == 0) {
                        got.add(chunk.text());
                    }
                }
                if (batch.ended()) {
                    return got;
                }
            }
        }
    }
}
