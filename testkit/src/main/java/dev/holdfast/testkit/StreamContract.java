package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.TENANT;
import static dev.holdfast.testkit.Samples.block;
import static dev.holdfast.testkit.Samples.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamQuery.Position;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.StreamRow.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Streams and their blocks. */
interface StreamContract extends ContractPart {

    @Test
    default void a_stream_is_found_by_name_and_by_key_with_every_column_as_written() {
        StreamRow bare = new StreamRow(
                2,
                "other",
                "s",
                Long.MIN_VALUE,
                0,
                State.LIVE,
                null,
                null,
                "a/b",
                new byte[0],
                1,
                2,
                0,
                1,
                0,
                0,
                0,
                3,
                0,
                0,
                new byte[0],
                StreamRow.Kin.NONE,
                StreamRow.Retained.ALL);
        StreamRow full = stream(1, "s");
        store().commit(t -> {
            t.insertStream(full);
            t.insertStream(bare);
        });

        store().restart();

        assertSame(reads().stream(TENANT, "s"), full);
        assertSame(reads().stream("other", "s"), bare);
        assertSame(reads().stream(1), full);
        assertThat(reads().stream(TENANT, "t")).isEmpty();
        assertThat(reads().stream(3)).isEmpty();
    }

    @Test
    default void an_update_replaces_every_column_of_a_stream() {
        store().commit(t -> t.insertStream(stream(1, "s")));
        StreamRow changed = new Samples.Stream(1, "s")
                .tag("other")
                .owner(77)
                .state(State.ERRORED)
                .createdAt(55)
                .expiresAt(66)
                .kin(new StreamRow.Kin(91, 92, new byte[] {7}))
                .trimAt(93)
                .row();

        store().commit(t -> t.updateStream(changed));

        assertSame(reads().stream(1), changed);
    }

    @Test
    default void a_discarded_stream_frees_its_name_and_is_found_by_key_only() {
        StreamRow old = new Samples.Stream(1, "s").state(State.DISCARDED).row();
        store().commit(t -> t.insertStream(stream(1, "s")));

        store().commit(t -> {
            t.updateStream(old);
            t.insertStream(stream(2, "s"));
        });

        assertThat(reads().stream(TENANT, "s").map(StreamRow::key)).contains(2L);
        assertSame(reads().stream(1), old);
        assertThat(reads().discardedStreams(10)).containsExactly(1L);
        store().commit(t -> t.deleteStream(1));
        assertThat(reads().stream(1)).isEmpty();
        assertThat(reads().discardedStreams(10)).isEmpty();
    }

    @Test
    default void discarded_streams_come_in_key_order_and_bounded() {
        store().commit(t -> {
            for (long key = 5; key >= 1; key--) {
                t.insertStream(new Samples.Stream(key, "s" + key)
                        .state(State.DISCARDED)
                        .row());
            }
        });

        assertThat(reads().discardedStreams(3)).containsExactly(1L, 2L, 3L);
        assertThat(reads().discardedStreams(Integer.MAX_VALUE)).hasSize(5);
    }

    @Test
    default void a_listing_is_newest_first_and_pages_without_gap_or_repeat() {
        List<Long> expected = new ArrayList<>();
        store().commit(t -> {
            for (long key = 1; key <= 20; key++) {
                t.insertStream(new Samples.Stream(key, "s" + key)
                        .createdAt(1_000 + key / 3)
                        .row());
                expected.addFirst(key);
            }
            t.insertStream(new Samples.Stream(21, "s1").tenant("other").row());
            t.insertStream(new Samples.Stream(22, "s22").state(State.DISCARDED).row());
        });

        List<Long> listed = new ArrayList<>();
        Position after = null;
        while (true) {
            List<StreamRow> page = list(EnumSet.allOf(State.class), null, after, 7);
            page.forEach(row -> listed.add(row.key()));
            if (page.size() < 7) {
                break;
            }
            after = new Position(page.getLast().createdAt(), page.getLast().key());
        }

        assertThat(listed).isEqualTo(expected);
    }

    @Test
    default void a_listing_filters_by_state_and_by_tag() {
        store().commit(t -> {
            t.insertStream(new Samples.Stream(1, "a").tag("x").row());
            t.insertStream(
                    new Samples.Stream(2, "b").tag("x").state(State.COMPLETED).row());
            t.insertStream(
                    new Samples.Stream(3, "c").tag("y").state(State.ERRORED).row());
        });

        assertThat(list(EnumSet.of(State.LIVE, State.ERRORED), null, null, 10))
                .extracting(StreamRow::key)
                .containsExactly(3L, 1L);
        assertThat(list(EnumSet.allOf(State.class), "x", null, 10))
                .extracting(StreamRow::key)
                .containsExactly(2L, 1L);
        assertThat(list(EnumSet.of(State.COMPLETED), "y", null, 10)).isEmpty();
        assertThat(list(EnumSet.noneOf(State.class), null, null, 10)).isEmpty();
    }

    private List<StreamRow> list(Set<State> states, @Nullable String tag, @Nullable Position after, int limit) {
        return reads().streams(new StreamQuery(TENANT, states, tag, after, limit));
    }

    @Test
    default void expiry_names_what_is_due_earliest_first_and_what_comes_next() {
        assertThat(reads().nextStreamExpiry()).isZero();
        store().commit(t -> {
            t.insertStream(new Samples.Stream(1, "a").expiresAt(300).row());
            t.insertStream(new Samples.Stream(2, "b")
                    .expiresAt(100)
                    .state(State.COMPLETED)
                    .row());
            t.insertStream(new Samples.Stream(3, "c").row());
            t.insertStream(new Samples.Stream(4, "d")
                    .expiresAt(50)
                    .state(State.DISCARDED)
                    .row());
            t.insertStream(new Samples.Stream(5, "e").expiresAt(200).row());
        });

        assertThat(reads().nextStreamExpiry()).isEqualTo(100);
        assertThat(reads().expiredStreams(200, 10)).containsExactly(2L, 5L);
        assertThat(reads().expiredStreams(1_000, 1)).containsExactly(2L);
        assertThat(reads().expiredStreams(99, 10)).isEmpty();
    }

    @Test
    default void a_stream_deleted_but_for_its_forks_keeps_its_name_and_row_and_is_in_no_list() {
        StreamRow kept = new Samples.Stream(1, "s")
                .state(State.DELETED)
                .owner(9)
                .expiresAt(5)
                .trimAt(6)
                .row();
        store().commit(t -> t.insertStream(new Samples.Stream(1, "s").owner(9).row()));
        store().commit(t -> t.updateStream(kept));

        assertSame(reads().stream(TENANT, "s"), kept);
        assertSame(reads().stream(1), kept);
        assertThat(list(EnumSet.of(State.LIVE, State.COMPLETED, State.ERRORED), null, null, 10))
                .isEmpty();
        assertThat(reads().expiredStreams(Long.MAX_VALUE, 10)).isEmpty();
        assertThat(reads().nextStreamExpiry()).isZero();
        assertThat(reads().trimmableStreams(Long.MAX_VALUE, 10)).isEmpty();
        assertThat(reads().nextStreamTrim()).isZero();
        assertThat(reads().streamsOwnedBy(9, 10)).isEmpty();
        assertThat(reads().discardedStreams(10)).isEmpty();
        StoreTransaction second = store().begin();
        try {
            assertRefused(second, t -> t.insertStream(stream(2, "s")));
        } finally {
            second.rollback();
        }
        store().commit(t -> {
            t.updateStream(new Samples.Stream(1, "s").state(State.DISCARDED).row());
            t.insertStream(stream(2, "s"));
        });
        assertThat(reads().discardedStreams(10)).containsExactly(1L);
    }

    @Test
    default void trims_name_what_is_due_earliest_first_and_what_comes_next() {
        assertThat(reads().nextStreamTrim()).isZero();
        store().commit(t -> {
            t.insertStream(new Samples.Stream(1, "a").trimAt(300).row());
            t.insertStream(new Samples.Stream(2, "b").trimAt(100).row());
            t.insertStream(new Samples.Stream(3, "c").row());
            t.insertStream(
                    new Samples.Stream(4, "d").trimAt(50).state(State.DISCARDED).row());
            t.insertStream(
                    new Samples.Stream(5, "e").trimAt(200).state(State.ERRORED).row());
        });

        assertThat(reads().nextStreamTrim()).isEqualTo(100);
        assertThat(reads().trimmableStreams(200, 10)).containsExactly(2L, 5L);
        assertThat(reads().trimmableStreams(1_000, 1)).containsExactly(2L);
        store().commit(t -> t.updateStream(new Samples.Stream(2, "b").trimAt(0).row()));
        assertThat(reads().trimmableStreams(200, 10)).containsExactly(5L);
        assertThat(reads().nextStreamTrim()).isEqualTo(200);
    }

    @Test
    default void blocks_are_listed_from_the_one_that_ends_above_a_position_without_their_chunks() {
        store().commit(t -> {
            t.insertBlock(block(1, 3, "a", "b"));
            t.insertBlock(block(1, 5, "c"));
            t.insertBlock(block(1, 6, "d", "e"));
            t.insertBlock(block(2, 0, "x"));
        });
        BlockInfo first = new BlockInfo(3, 5, 6_003, 63);
        BlockInfo second = new BlockInfo(5, 6, 6_005, 65);
        BlockInfo third = new BlockInfo(6, 8, 6_006, 66);

        assertThat(reads().blocks(1, 0, 10)).containsExactly(first, second, third);
        assertThat(reads().blocks(1, 4, 10)).containsExactly(first, second, third);
        assertThat(reads().blocks(1, 5, 10)).containsExactly(second, third);
        assertThat(reads().blocks(1, 0, 2)).containsExactly(first, second);
        assertThat(reads().blocks(1, 7, 10)).containsExactly(third);
        assertThat(reads().blocks(1, 8, 10)).isEmpty();
        assertThat(reads().blocks(3, 0, 10)).isEmpty();
    }

    @Test
    default void a_sessions_streams_are_found_by_owner() {
        store().commit(t -> {
            t.insertStream(new Samples.Stream(1, "a").owner(9).row());
            t.insertStream(
                    new Samples.Stream(2, "b").owner(9).state(State.COMPLETED).row());
            t.insertStream(
                    new Samples.Stream(3, "c").owner(9).state(State.DISCARDED).row());
            t.insertStream(new Samples.Stream(4, "d").owner(8).row());
            t.insertStream(stream(5, "e"));
        });

        assertThat(reads().streamsOwnedBy(9, 10)).containsExactlyInAnyOrder(1L, 2L);
        assertThat(reads().streamsOwnedBy(9, 1)).hasSize(1);
        assertThat(reads().streamsOwnedBy(7, 10)).isEmpty();
    }

    @Test
    default void a_block_is_found_by_every_position_in_it_and_by_no_other_EVERY_CURSOR() {
        BlockRow first = block(1, 3, "a", "b");
        BlockRow second = block(1, 5, "c");
        store().commit(t -> {
            t.insertBlock(first);
            t.insertBlock(second);
            t.insertBlock(block(2, 0, "x"));
        });

        store().restart();

        assertThat(reads().block(1, 2)).isEmpty();
        assertSame(reads().block(1, 3), first);
        assertSame(reads().block(1, 4), first);
        assertSame(reads().block(1, 5), second);
        assertThat(reads().block(1, 6)).isEmpty();
        assertThat(reads().block(3, 0)).isEmpty();
    }

    @Test
    default void a_full_sized_block_comes_back_whole() {
        BlockRow large = new BlockRow(1, 0, 1, 2, 3, Samples.noise(9 << 20));
        store().commit(t -> t.insertBlock(large));

        assertThat(reads().block(1, 0).orElseThrow().body()).isEqualTo(large.body());
    }

    @Test
    default void blocks_are_deleted_oldest_first_in_bounded_steps_and_only_those_wholly_below() {
        store().commit(t -> {
            for (int i = 0; i < 10; i++) {
                t.insertBlock(block(1, 2L * i, "a", "b"));
            }
            t.insertBlock(block(2, 0, "x"));
        });

        assertThat(alone().deleteBlocks(1, 11, 3)).isEqualTo(3);
        assertThat(reads().block(1, 5)).isEmpty();
        assertThat(reads().block(1, 6)).isPresent();
        assertThat(alone().deleteBlocks(1, 11, 3)).isEqualTo(2);
        assertThat(reads().block(1, 10)).isPresent();
        assertThat(alone().deleteBlocks(1, Long.MAX_VALUE, 64)).isEqualTo(5);
        assertThat(alone().deleteBlocks(1, Long.MAX_VALUE, 64)).isZero();
        assertThat(reads().block(2, 0)).isPresent();
    }

    private static void assertSame(Optional<? extends Record> actual, Record expected) {
        assertThat(actual)
                .get()
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(expected);
    }
}
