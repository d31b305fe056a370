package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Reading;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Deleting, discarding under readers, reclaiming and trimming. */
final class DeletionTest extends StreamsFixture {

    private static final Duration HOUR = Streams.ABANDONED_AFTER;
    private static final StreamOptions TAGGED = StreamOptions.DEFAULTS.withTag("chat");

    private ExecutorService threads;

    @BeforeEach
    void openThreads() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void closeThreads() {
        threads.shutdownNow();
    }

    /** Fills some blocks and leaves a rest in the open block. */
    private long fill(StreamWriter writer) {
        long count = 13;
        for (long i = 0; i < count; i++) {
            writer.append(payload(writer.name(), i, StreamLimits.MAX_BLOCK_BYTES / 4));
            instance.settleDown();
        }
        return count;
    }

    private long keyOf(String name) {
        return instance.store()
                .read(reads -> reads.stream("default", name).orElseThrow())
                .key();
    }

    private boolean anythingLeft(long key) {
        return instance.store()
                .read(reads ->
                        reads.stream(key).isPresent() || reads.block(key, 0).isPresent());
    }

    @Test
    void a_stream_is_deleted_once_in_any_state_and_nothing_of_it_is_left_S19() {
        long live = keyOf(streams.open("live").name());
        StreamWriter big = streams.open("big");
        fill(big);
        long bigKey = keyOf("big");
        big.settle(Settlement.completed());

        assertThat(streams.delete("live")).isTrue();
        assertThat(streams.delete("live")).isFalse();
        assertThat(streams.delete("big")).isTrue();
        assertThat(streams.delete("big")).isFalse();
        instance.settleDown();

        assertThat(anythingLeft(live)).isFalse();
        assertThat(anythingLeft(bigKey)).isFalse();
    }

    @Test
    @Tag("S53")
    void a_deletion_that_a_restart_interrupted_is_finished_after_it_S19() {
        StreamWriter big = streams.open("big");
        fill(big);
        long key = keyOf("big");
        streams.delete("big");
        instance.restart();
        instance.settleDown();

        assertThat(anythingLeft(key)).isFalse();
        assertThat(instance.streams().status("big")).isEmpty();
    }

    @Test
    void readers_of_a_discarded_stream_get_every_chunk_and_the_outcome_and_then_its_blocks_go() {
        StreamWriter writer = streams.open("s");
        long count = fill(writer);
        long key = keyOf("s");
        StreamReader early = streams.tail("s", 0);
        StreamReader late = streams.tail("s", count);

        writer.settle(Settlement.errored("enough").discard().append(chunks("last")));
        instance.settleDown();

        assertThat(streams.status("s")).isEmpty();
        List<Chunk> read = Reading.rest(early, 100_000);
        assertThat(read).hasSize((int) count + 1);
        for (int i = 0; i < count; i++) {
            assertThat(read.get(i).toByteArray()).isEqualTo(payload("s", i, StreamLimits.MAX_BLOCK_BYTES / 4));
        }
        ReadBatch end = early.read(1);
        assertThat(end.ended()).isTrue();
        assertThat(end.state()).isEqualTo(StreamState.ERRORED);
        assertThat(end.error()).isEqualTo("enough");
        assertThat(Reading.rest(late, 1000)).extracting(Chunk::text).containsExactly("last");

        early.close();
        instance.settleDown();
        assertThat(anythingLeft(key)).as("the second reader is still there").isTrue();
        late.close();
        instance.settleDown();
        assertThat(anythingLeft(key)).isFalse();
        assertThat(instance.clock().pending()).as("IDLE-IS-SILENT").isZero();
    }

    @Test
    void a_reader_that_lingers_too_long_is_cut_and_holds_nothing_back_any_more_BOUNDED() throws Exception {
        StreamWriter writer = streams.open("s");
        fill(writer);
        long key = keyOf("s");
        StreamReader reader = streams.tail("s", 0);
        StreamReader waiting = streams.tail("s", 13);
        Future<ReadBatch> waits = threads.submit(() -> waiting.next(1));
        writer.settle(Settlement.completed().discard());
        assertThat(waits.get().ended()).isTrue();

        Duration linger = instance.engine().limits().maxLinger();
        instance.clock().advance(linger.minusMillis(1));
        assertThat(reader.read(1).chunks()).hasSize(1);
        instance.clock().advance(Duration.ofMillis(1));

        assertThatThrownBy(() -> reader.read(1)).isInstanceOf(StreamNotFound.class);
        instance.settleDown();
        assertThat(anythingLeft(key)).isFalse();
        reader.close();
        waiting.close();
    }

    @Test
    void the_name_is_free_at_once_while_readers_of_the_former_incarnation_go_on() {
        StreamWriter old = streams.open("s");
        old.append("old");
        StreamReader reader = streams.tail("s", 0);
        old.settle(Settlement.completed().discard());
        streams.open("s").append("new");

        assertThat(Reading.rest(reader, 100)).extracting(Chunk::text).containsExactly("old");
        assertThat(allTexts(streams, "s")).containsExactly("new");
        reader.close();
    }

    @Test
    void reclaiming_deletes_the_settled_and_the_abandoned_and_spares_the_rest() {
        streams.open("settled", TAGGED).settle(Settlement.completed());
        streams.open("abandoned", TAGGED).append("a");
        streams.open("never written", TAGGED);
        streams.open("other tag", StreamOptions.DEFAULTS.withTag("other")).append("a");
        instance.clock().advance(HOUR.minusMillis(1));
        StreamWriter busy = streams.open("busy", TAGGED);
        busy.append("a");
        assertThat(streams.reclaim("chat", HOUR)).as("only the settled one").isEqualTo(1);
        instance.clock().advance(Duration.ofMillis(1));

        assertThat(streams.reclaim("chat", HOUR)).isEqualTo(2);
        assertThat(streams.reclaim("chat", HOUR)).isZero();
        assertThat(busy.append("b").firstSeq()).isEqualTo(1);
        assertThat(streams.status("other tag")).isPresent();
    }

    @Test
    void a_stream_that_got_a_chunk_in_the_same_batch_is_not_reclaimed() throws Exception {
        StreamWriter writer = streams.open("s", TAGGED);
        writer.append("a");
        instance.clock().advance(HOUR.multipliedBy(2));
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> append = writer.appendAsync(AppendRequest.of(chunks("b")));
        Future<Integer> reclaim = threads.submit(() -> streams.reclaim("chat", HOUR));
        release.countDown();

        append.get();
        assertThat(reclaim.get()).isZero();
        assertThat(writer.append("c").firstSeq()).isEqualTo(2);
    }

    @Test
    void the_age_of_a_stream_survives_sealing_and_restarts_S21() {
        StreamWriter writer = streams.open("s", TAGGED);
        instance.clock().advance(HOUR);
        fill(writer);
        instance.restart();
        streams = instance.streams();
        instance.clock().advance(HOUR.minusMillis(1));
        assertThat(streams.reclaim("chat", HOUR)).isZero();
        instance.clock().advance(Duration.ofMillis(1));
        assertThat(streams.reclaim("chat", HOUR)).isEqualTo(1);
    }

    @Test
    void trimmed_chunks_cannot_be_read_and_the_rest_keeps_its_positions_also_after_a_restart() {
        StreamWriter writer = streams.open("s");
        long count = fill(writer);
        long key = keyOf("s");
        StreamReader behind = streams.tail("s", 0);

        assertThat(streams.trim("s", 9)).isEqualTo(9);
        assertThat(streams.trim("s", 3)).as("never back").isEqualTo(9);
        instance.settleDown();

        assertThatThrownBy(() -> behind.read(1))
                .isInstanceOfSatisfying(
                        CursorTooOld.class, e -> assertThat(e.first()).isEqualTo(9));
        behind.close();
        boolean firstBlockLeft =
                instance.store().read(reads -> reads.block(key, 0).isPresent());
        assertThat(firstBlockLeft).isFalse();
        for (int restarts = 0; restarts < 2; restarts++) {
            assertThatThrownBy(() -> streams.read("s", 8, 1)).isInstanceOf(CursorTooOld.class);
            assertThat(Reading.all(streams, "s", 9, 1)).hasSize((int) count - 9);
            assertThat(streams.status("s").orElseThrow().firstSeq()).isEqualTo(9);
            instance.restart();
            streams = instance.streams();
        }
        assertThat(streams.open("s").append("next").firstSeq()).isEqualTo(count);
    }

    @Test
    void trimming_beyond_the_tail_stops_at_the_tail() {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b"));
        assertThat(streams.trim("s", 100)).isEqualTo(2);
        assertThat(streams.read("s", 2, 10).upToDate()).isTrue();
        assertThat(writer.append("c").firstSeq()).isEqualTo(2);
        assertThat(Reading.all(streams, "s", 2, 10)).extracting(Chunk::text).containsExactly("c");
    }

    @Test
    void a_missing_stream_cannot_be_trimmed() {
        assertThatThrownBy(() -> streams.trim("none", 1)).isInstanceOf(StreamNotFound.class);
    }
}
