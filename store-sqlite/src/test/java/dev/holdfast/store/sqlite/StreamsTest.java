package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.OpenStore.assertSame;
import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.append;
import static dev.holdfast.store.sqlite.Rows.block;
import static dev.holdfast.store.sqlite.Rows.bytes;
import static dev.holdfast.store.sqlite.Rows.random;
import static dev.holdfast.store.sqlite.Rows.stream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.StreamRow.State;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams and blocks: what a verb writes is read in the transaction, on a snapshot after it, and after a restart. */
final class StreamsTest {

    @TempDir
    Path folder;

    private OpenStore store;

    @BeforeEach
    void open() {
        store = new OpenStore(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static final Set<State> ALL = EnumSet.of(State.LIVE, State.COMPLETED, State.ERRORED);

    @Test
    void a_stream_is_read_by_name_and_by_key_exactly_as_it_was_written() {
        StreamRow row = new StreamRow(
                7,
                "tenant",
                "näme/1",
                -5,
                3,
                State.ERRORED,
                "why",
                "tag",
                "text/plain",
                random(5000, 2),
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                random(300, 3),
                new StreamRow.Kin(11, 12, random(40, 4)),
                new StreamRow.Retained(13, 14, 15, 16));
        store.commit(tx -> {
            tx.insertStream(row);
            assertSame(tx.stream("tenant", "näme/1"), row);
        });
        store.check(reads -> {
            assertSame(reads.stream("tenant", "näme/1"), row);
            assertSame(reads.stream(7), row);
            assertThat(reads.stream("other", "näme/1")).isEmpty();
            assertThat(reads.stream(8)).isEmpty();
        });
    }

    @Test
    void each_field_of_a_stream_can_be_replaced() {
        StreamRow before = stream(1, "a");
        StreamRow after = new StreamRow(
                1,
                "t2",
                "b",
                99,
                12,
                State.COMPLETED,
                "e",
                "tag",
                "x/y",
                bytes("meta"),
                20,
                21,
                22,
                23,
                24,
                25,
                26,
                27,
                28,
                29,
                bytes("p"),
                new StreamRow.Kin(30, 31, bytes("l")),
                new StreamRow.Retained(32, 33, 34, 35));
        store.commit(tx -> tx.insertStream(before));
        store.commit(tx -> {
            tx.updateStream(after);
            assertSame(tx.stream(1), after);
        });
        store.check(reads -> {
            assertSame(reads.stream(1), after);
            assertSame(reads.stream("t2", "b"), after);
            assertThat(reads.stream("tenant", "a")).isEmpty();
        });
        store.commit(tx -> tx.updateStream(before));
        store.check(reads -> assertSame(reads.stream(1), before));
    }

    @Test
    void a_discarded_stream_gives_its_name_free_and_waits_for_deletion() {
        store.commit(tx -> tx.insertStream(stream(1, "s", State.LIVE, "tag", 9, 5, 77)));
        store.commit(tx -> tx.updateStream(stream(1, "s", State.DISCARDED, "tag", 9, 5, 77)));
        store.commit(tx -> tx.insertStream(stream(2, "s", State.LIVE, "tag", 9, 6, 0)));
        store.check(reads -> {
            assertThat(reads.stream("tenant", "s").orElseThrow().key()).isEqualTo(2);
            assertThat(reads.stream(1).orElseThrow().state()).isEqualTo(State.DISCARDED);
            assertThat(reads.discardedStreams(10)).containsExactly(1L);
            assertThat(reads.streamsOwnedBy(9, 10)).containsExactly(2L);
            assertThat(reads.expiredStreams(1000, 10)).isEmpty();
            assertThat(reads.nextStreamExpiry()).isZero();
            assertThat(reads.streams(new StreamQuery("tenant", ALL, "tag", null, 10)))
                    .extracting(StreamRow::key)
                    .containsExactly(2L);
        });
        store.commit(tx -> tx.deleteStream(1));
        store.check(reads -> {
            assertThat(reads.stream(1)).isEmpty();
            assertThat(reads.discardedStreams(10)).isEmpty();
        });
    }

    @Test
    void two_streams_of_one_name_that_are_not_discarded_are_refused_and_the_transaction_with_them() {
        store.commit(tx -> tx.insertStream(stream(1, "s")));
        StoreTransaction tx = store.begin();
        tx.append(append(1, 0, "never"));
        assertThatThrownBy(() -> tx.insertStream(stream(2, "s"))).isInstanceOf(StoreFailed.class);
        assertThatThrownBy(() -> tx.insertStream(stream(3, "t"))).isInstanceOf(StoreFailed.class);
        assertThatThrownBy(tx::commit).isInstanceOf(StoreFailed.class);
        tx.rollback();
        store.check(reads -> assertThat(reads.stream(3)).isEmpty());
        assertThat(store.commit(t -> t.append(append(1, 0, "x"))).position()).isEqualTo(1);
    }

    @Test
    void streams_are_listed_newest_first_in_pages_by_state_and_by_tag() {
        store.commit(tx -> {
            for (int i = 1; i <= 9; i++) {
                State state =
                        List.of(State.LIVE, State.COMPLETED, State.ERRORED).get(i % 3);
                tx.insertStream(stream(i, "s" + i, state, i % 2 == 0 ? "even" : null, 0, NOW + i / 2, 0));
            }
        });
        store.check(reads -> {
            assertThat(reads.streams(new StreamQuery("tenant", ALL, null, null, 4)))
                    .extracting(StreamRow::key)
                    .containsExactly(9L, 8L, 7L, 6L);
            assertThat(reads.streams(new StreamQuery("tenant", ALL, null, new StreamQuery.Position(NOW + 3, 6), 4)))
                    .extracting(StreamRow::key)
                    .containsExactly(5L, 4L, 3L, 2L);
            assertThat(reads.streams(new StreamQuery("tenant", Set.of(State.LIVE), null, null, 10)))
                    .extracting(StreamRow::key)
                    .containsExactly(9L, 6L, 3L);
            assertThat(reads.streams(new StreamQuery("tenant", Set.of(State.LIVE, State.ERRORED), "even", null, 10)))
                    .extracting(StreamRow::key)
                    .containsExactly(8L, 6L, 2L);
            assertThat(reads.streams(new StreamQuery("tenant", Set.of(), null, null, 10)))
                    .isEmpty();
            assertThat(reads.streams(new StreamQuery("other", ALL, null, null, 10)))
                    .isEmpty();
        });
    }

    @Test
    void expired_streams_come_earliest_first_and_the_next_deadline_is_known() {
        store.commit(tx -> {
            tx.insertStream(stream(1, "a", State.LIVE, null, 0, 1, 300));
            tx.insertStream(stream(2, "b", State.COMPLETED, null, 0, 1, 100));
            tx.insertStream(stream(3, "c", State.LIVE, null, 0, 1, 0));
            tx.insertStream(stream(4, "d", State.LIVE, null, 0, 1, 200));
        });
        store.check(reads -> {
            assertThat(reads.expiredStreams(99, 10)).isEmpty();
            assertThat(reads.expiredStreams(300, 10)).containsExactly(2L, 4L, 1L);
            assertThat(reads.expiredStreams(300, 1)).containsExactly(2L);
            assertThat(reads.nextStreamExpiry()).isEqualTo(100);
        });
        store.commit(tx -> tx.updateStream(stream(2, "b", State.COMPLETED, null, 0, 1, 400)));
        store.check(reads -> assertThat(reads.nextStreamExpiry()).isEqualTo(200));
    }

    @Test
    void a_block_is_found_by_each_seq_it_holds_and_by_no_other() {
        store.commit(tx -> {
            tx.insertBlock(block(1, 0, 100, 2600));
            tx.insertBlock(block(2, 0, 3, 10));
            tx.insertBlock(block(1, 100, 5, 10));
        });
        store.check(reads -> {
            assertSame(reads.block(1, 0), block(1, 0, 100, 2600));
            assertSame(reads.block(1, 99), block(1, 0, 100, 2600));
            assertSame(reads.block(1, 104), block(1, 100, 5, 10));
            assertThat(reads.block(1, 105)).isEmpty();
            assertThat(reads.block(2, 3)).isEmpty();
            assertThat(reads.block(3, 0)).isEmpty();
            assertThat(BlockFormat.index(reads.block(1, 7).orElseThrow())).hasSize(200);
        });
    }

    @Test
    void blocks_are_deleted_oldest_first_in_bounded_steps_and_only_when_they_end_in_time() {
        store.commit(tx -> {
            for (int i = 0; i < 5; i++) {
                tx.insertBlock(block(1, i * 10L, 10, 5));
            }
            tx.insertBlock(block(2, 0, 10, 5));
        });
        store.commit(tx -> {
            assertThat(tx.deleteBlocks(1, 39, 2)).isEqualTo(2);
            assertThat(tx.block(1, 19)).isEmpty();
            assertThat(tx.block(1, 20)).isPresent();
            assertThat(tx.deleteBlocks(1, 39, 2)).isEqualTo(1);
        });
        store.check(reads -> {
            assertThat(reads.block(1, 29)).isEmpty();
            assertThat(reads.block(1, 30)).isPresent();
            assertThat(reads.block(2, 0)).isPresent();
        });
        store.commit(tx -> assertThat(tx.deleteBlocks(1, Long.MAX_VALUE, 100)).isEqualTo(2));
    }
}
