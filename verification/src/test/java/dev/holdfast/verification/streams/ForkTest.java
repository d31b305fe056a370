package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.CreateResult;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Fork.Unit;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a fork begins with, and that neither side notices the other from then on. */
final class ForkTest extends StreamsFixture {

    private static final StreamOptions TEXT = StreamOptions.DEFAULTS.withContentType("text/plain");
    private static final int LARGE = StreamLimits.MAX_BLOCK_BYTES / 2;

    private void create(String name, String... texts) {
        streams.create(name, StreamCreation.of(TEXT).with(chunks(texts)));
    }

    private CreateResult fork(String name, Fork point, String... texts) {
        return streams.create(
                name, StreamCreation.of(StreamOptions.DEFAULTS).from(point).with(chunks(texts)));
    }

    private void append(String name, String... texts) {
        streams.append(name, AppendRequest.of(chunks(texts)));
    }

    /** Chunks of half a block each, told apart by their first byte. */
    private void appendLarge(String name, int from, int count) {
        for (int i = from; i < from + count; i++) {
            byte[] chunk = new byte[LARGE];
            chunk[0] = (byte) i;
            streams.append(name, AppendRequest.of(List.of(chunk)));
        }
        instance.settleDown();
    }

    private List<Integer> firstBytes(String name) {
        List<Integer> bytes = new ArrayList<>();
        long first = streams.status(name).orElseThrow().firstSeq();
        Reading.all(streams, name, first, Reading.MAX_BYTES).forEach(c -> bytes.add((int) c.toByteArray()[0]));
        return bytes;
    }

    @Test
    void a_fork_has_the_chunks_below_its_point_and_goes_its_own_way() {
        create("source", "a", "b", "c");
        CreateResult made = fork("fork", Fork.of("source").at(2), "x");
        append("source", "d");
        append("fork", "y");

        assertThat(made.created()).isTrue();
        assertThat(made.status().contentType()).isEqualTo("text/plain");
        assertThat(made.status().tail()).isEqualTo(3);
        for (int i = 0; i < 2; i++) {
            assertThat(allTexts(streams, "source")).containsExactly("a", "b", "c", "d");
            assertThat(allTexts(streams, "fork")).containsExactly("a", "b", "x", "y");
            restart();
        }
    }

    @Test
    void without_a_point_it_branches_off_at_the_tail_also_of_what_the_same_batch_appended() throws Exception {
        create("source", "a");
        StreamWriter writer = streams.open("source");
        long commits = instance.commitsOf(() -> {
            CountDownLatch release = instance.hold();
            var appended = writer.appendAsync(AppendRequest.of(chunks("b")));
            long queued = instance.committer().queuedBytes();
            CompletableFuture<CreateResult> forked =
                    CompletableFuture.supplyAsync(() -> fork("fork", Fork.of("source")));
            await().until(() -> instance.committer().queuedBytes() > queued);
            release.countDown();

            assertThat(appended.join().nextSeq()).isEqualTo(2);
            assertThat(forked.join().status().tail()).isEqualTo(2);
        });

        assertThat(commits).isEqualTo(1);
        assertThat(allTexts(streams, "fork")).containsExactly("a", "b");
    }

    @Test
    void distances_count_chunks_or_the_bytes_of_one_chunk() {
        create("source", "one", "two", "three");

        fork("chunks", Fork.of("source").at(1).past(1, Unit.CHUNKS));
        fork("bytes", Fork.of("source").at(1).past(2, Unit.BYTES));
        fork("none", Fork.of("source").at(1).past(0, Unit.BYTES), "!");
        fork("of bytes", Fork.of("bytes").at(1).past(1, Unit.BYTES), "?");

        assertThat(allTexts(streams, "chunks")).containsExactly("one", "two");
        assertThat(allTexts(streams, "bytes")).containsExactly("one", "tw");
        assertThat(allTexts(streams, "none")).containsExactly("one", "!");
        assertThat(allTexts(streams, "of bytes")).containsExactly("one", "t", "?");
    }

    @Test
    void sealed_blocks_are_read_where_they_are_and_cut_at_the_point_EVERY_CURSOR() {
        streams.create("source", StreamCreation.of(TEXT));
        appendLarge("source", 0, 9);
        fork("whole", Fork.of("source"));
        fork("cut", Fork.of("source").at(3));
        fork("bytes", Fork.of("source").at(5).past(1, Unit.BYTES));
        appendLarge("source", 9, 4);
        appendLarge("cut", 50, 5);
        fork("grandchild", Fork.of("cut").at(6));
        appendLarge("grandchild", 70, 1);

        for (int i = 0; i < 2; i++) {
            assertThat(firstBytes("whole")).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
            assertThat(firstBytes("cut")).containsExactly(0, 1, 2, 50, 51, 52, 53, 54);
            assertThat(firstBytes("bytes")).containsExactly(0, 1, 2, 3, 4, 5);
            assertThat(firstBytes("grandchild")).containsExactly(0, 1, 2, 50, 51, 52, 70);
            for (long from = 0; from <= 7; from++) {
                assertThat(Reading.all(streams, "grandchild", from, 1)).hasSize((int) (7 - from));
            }
            restart();
        }
        assertThat(streams.status("bytes").orElseThrow().tail()).isEqualTo(6);
        assertThat(Reading.all(streams, "bytes", 5, 10).getFirst().size()).isEqualTo(1);
    }

    @Test
    void a_fork_of_a_long_source_copies_no_more_than_its_open_block() {
        streams.create("source", StreamCreation.of(TEXT));
        appendLarge("source", 0, 40);
        append("source", "tail");
        long before = instance.engine().upkeep().openBytes();
        fork("fork", Fork.of("source"));

        assertThat(instance.engine().upkeep().openBytes() - before).isLessThan(StreamLimits.MAX_BLOCK_BYTES);
        assertThat(streams.status("fork").orElseThrow().tail()).isEqualTo(41);
    }

    @Test
    void the_source_is_trimmed_while_its_fork_keeps_what_it_had() {
        streams.create("source", StreamCreation.of(TEXT));
        appendLarge("source", 0, 8);
        fork("fork", Fork.of("source"));
        streams.trim("source", 6);
        instance.settleDown();
        fork("late", Fork.of("source"));

        for (int i = 0; i < 2; i++) {
            assertThat(firstBytes("source")).containsExactly(6, 7);
            assertThat(firstBytes("fork")).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(firstBytes("late")).containsExactly(6, 7);
            restart();
        }
        assertThatThrownBy(() -> fork("older", Fork.of("source").at(5))).isInstanceOf(CursorTooOld.class);
        assertThat(blocksOf("source")).isGreaterThan(1);
        streams.delete("fork");
        streams.delete("late");
        instance.settleDown();
        assertThat(blocksOf("source")).isEqualTo(1);
    }

    private int blocksOf(String name) {
        long key = streams.status(name).orElseThrow().position().key();
        return instance.store().read(reads -> reads.blocks(key, 0, 100)).size();
    }

    @Test
    void a_fork_of_a_stream_trimmed_within_its_open_block_begins_there() {
        create("source", "a", "b", "c");
        streams.trim("source", 1);
        fork("fork", Fork.of("source").at(2), "x");

        for (int i = 0; i < 2; i++) {
            assertThat(streams.status("fork").orElseThrow().firstSeq()).isEqualTo(1);
            assertThat(Reading.all(streams, "fork", 1, 100)).hasSize(2);
            restart();
        }
    }

    @Test
    void a_fork_of_a_settled_stream_is_open_and_knows_neither_producers_nor_orders() {
        create("source", "a");
        streams.append(
                "source",
                AppendRequest.of(chunks("b")).from(new Producer("p", 4, 0)).ordered("9"));
        streams.settle("source", Settlement.completed());
        fork("fork", Fork.of("source"));

        assertThat(streams.status("fork").orElseThrow().settled()).isFalse();
        streams.append(
                "fork",
                AppendRequest.of(chunks("c")).from(new Producer("p", 0, 0)).ordered("1"));
        assertThat(allTexts(streams, "fork")).containsExactly("a", "b", "c");
    }

    @Test
    void a_fork_can_be_settled_in_its_first_commit() {
        create("source", "a");
        streams.create(
                "fork",
                StreamCreation.of(TEXT)
                        .from(Fork.of("source"))
                        .with(chunks("b"))
                        .settling());
        assertThat(streams.status("fork").orElseThrow().settled()).isTrue();
        assertThat(allTexts(streams, "fork")).containsExactly("a", "b");
    }

    @Test
    void a_point_that_does_not_exist_is_refused_and_holds_nothing() {
        create("source", "one", "two");
        refused(InvalidArgument.class, Fork.of("source").at(3));
        refused(InvalidArgument.class, Fork.of("source").at(-1));
        refused(InvalidArgument.class, Fork.of("source").at(1).past(2, Unit.CHUNKS));
        refused(InvalidArgument.class, Fork.of("source").at(1).past(Long.MAX_VALUE, Unit.CHUNKS));
        refused(InvalidArgument.class, Fork.of("source").at(1).past(4, Unit.BYTES));
        refused(InvalidArgument.class, Fork.of("source").past(1, Unit.BYTES));
        refused(InvalidArgument.class, Fork.of("source").at(0).past(-1, Unit.CHUNKS));
        refused(StreamNotFound.class, Fork.of("nobody"));
        assertThatThrownBy(() -> streams.create(
                        "fork",
                        StreamCreation.of(StreamOptions.DEFAULTS.withContentType("image/png"))
                                .from(Fork.of("source"))))
                .isInstanceOf(StreamConflict.class);

        streams.delete("source");
        assertThat(streams.status("source")).isEmpty();
    }

    private void refused(Class<? extends HoldfastException> error, Fork point) {
        assertThatThrownBy(() -> fork("fork", point)).isInstanceOf(error);
        assertThat(streams.status("fork")).isEmpty();
    }

    @Test
    void a_repeated_fork_is_the_same_one_and_another_point_is_a_conflict() {
        create("source", "one", "two");
        Fork point = Fork.of("source").at(1).past(2, Unit.BYTES);
        StreamStatus first = fork("fork", point).status();
        append("source", "three");

        CreateResult again = fork("fork", point);

        assertThat(again.created()).isFalse();
        assertThat(again.status().incarnation()).isEqualTo(first.incarnation());
        for (Fork other : List.of(
                Fork.of("source").at(1),
                Fork.of("source").at(0).past(2, Unit.BYTES),
                Fork.of("source").at(1).past(1, Unit.BYTES),
                Fork.of("fork").at(1).past(2, Unit.BYTES))) {
            assertThatThrownBy(() -> fork("fork", other)).isInstanceOf(StreamConflict.class);
        }
        assertThatThrownBy(() -> create("fork")).isInstanceOf(StreamConflict.class);
        assertThatThrownBy(
                        () -> streams.create("source", StreamCreation.of(TEXT).from(Fork.of("fork"))))
                .isInstanceOf(StreamConflict.class);
        streams.delete("fork");
        assertThat(streams.delete("source")).isTrue();
        assertThat(streams.status("source")).isEmpty();
    }

    @Test
    void chains_of_forks_have_a_limit_BOUNDED() {
        create("f0", "a");
        for (int i = 1; i <= StreamLimits.MAX_FORK_DEPTH; i++) {
            fork("f" + i, Fork.of("f" + (i - 1)), "c" + i);
        }
        String last = "f" + StreamLimits.MAX_FORK_DEPTH;
        assertThat(allTexts(streams, last)).hasSize(1 + StreamLimits.MAX_FORK_DEPTH);
        assertThatThrownBy(() -> fork("too deep", Fork.of(last)))
                .isInstanceOfSatisfying(
                        LimitExceeded.class, e -> assertThat(e.limit()).isEqualTo("MAX_FORK_DEPTH"));
    }

    @Test
    void a_reader_of_a_fork_waits_for_the_forks_own_chunks_only_NO_SEAM() throws Exception {
        create("source", "a");
        fork("fork", Fork.of("source"));
        try (StreamReader reader = streams.tail("fork", 0)) {
            assertThat(Reading.texts(reader.next(100))).containsExactly("a");
            append("source", "not for the fork");
            append("fork", "b");
            ReadBatch batch = reader.next(100);
            assertThat(Reading.texts(batch)).containsExactly("b");
            assertThat(batch.nextSeq()).isEqualTo(2);
        }
    }
}
