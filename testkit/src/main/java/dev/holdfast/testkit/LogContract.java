package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.append;
import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.noise;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.AppendRecord.ProducerMark;
import dev.holdfast.store.StoreTransaction.Receipt;
import dev.holdfast.testkit.StoreUnderTest.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log: what was appended comes back in order, positions grow, and the front can be released. */
interface LogContract extends ContractPart {

    @Test
    default void a_new_store_has_an_empty_log() {
        assertThat(store().restart()).isEmpty();
    }

    @Test
    default void a_restart_finds_all_that_was_appended_in_order_EXACT_PREFIX() {
        Receipt first = store().commit(t -> t.append(append(1, 0, "a", "b")));
        Receipt second = store().commit(t -> {
            t.append(append(2, 0, "x"));
            t.append(append(1, 2, "", "ü\n"));
        });

        List<Entry> log = store().restart();

        assertThat(log).extracting(Entry::position).containsExactly(first.position(), second.position());
        assertThat(log).extracting(Entry::bytes).containsExactly(first.bytes(), second.bytes());
        assertThat(log).extracting(Entry::committedAt).containsExactly(first.committedAt(), second.committedAt());
        assertSame(log.get(0).appends(), append(1, 0, "a", "b"));
        assertSame(log.get(1).appends(), append(2, 0, "x"), append(1, 2, "", "ü\n"));
    }

    @Test
    default void producers_and_epochs_and_appends_without_chunks_come_back() {
        AppendRecord marked = new AppendRecord(
                Long.MAX_VALUE, 9, 1L << 40, List.of(bytes("a")), new ProducerMark("pröducer", 3, 1L << 50), null);
        AppendRecord empty = new AppendRecord(5, 1, 0, List.of(), new ProducerMark("p", 0, 0), null);
        store().commit(t -> {
            t.append(marked);
            t.append(empty);
        });

        assertSame(store().restart().getFirst().appends(), marked, empty);
    }

    @Test
    default void orders_come_back_with_and_without_a_producer() {
        AppendRecord alone = new AppendRecord(1, 1, 0, List.of(bytes("a")), null, "örder 1");
        AppendRecord both = new AppendRecord(1, 1, 1, List.of(), new ProducerMark("p", 2, 3), "order 2");
        store().commit(t -> {
            t.append(alone);
            t.append(both);
        });

        assertSame(store().restart().getFirst().appends(), alone, both);
    }

    @Test
    default void a_large_entry_comes_back_whole() {
        byte[] large = noise(6 << 20);
        store().commit(t -> t.append(AppendRecord.of(1, 1, 0, List.of(large))));

        assertThat(store().restart().getFirst().appends().getFirst().chunks().getFirst())
                .isEqualTo(large);
    }

    @Test
    default void a_transaction_without_appends_has_no_log_position() {
        Receipt receipt = store().commit(t -> t.insertStream(Samples.stream(1, "s")));

        assertThat(receipt.position()).isZero();
        assertThat(receipt.bytes()).isZero();
        assertThat(store().restart()).isEmpty();
    }

    @Test
    default void what_was_rolled_back_is_not_in_the_log() {
        store().rollBack(t -> t.append(append(1, 0, "lost")));
        Receipt kept = store().commit(t -> t.append(append(1, 0, "kept")));

        List<Entry> log = store().restart();

        assertThat(log).extracting(Entry::position).containsExactly(kept.position());
        assertSame(log.getFirst().appends(), append(1, 0, "kept"));
    }

    @Test
    default void positions_grow_over_restarts_and_over_a_log_that_was_released_whole() {
        long last = 0;
        for (int i = 0; i < 4; i++) {
            long position = store().commit(t -> t.append(append(1, 0, "a"))).position();
            assertThat(position).isGreaterThan(last);
            last = position;
            if (i % 2 == 0) {
                releaseAll(last);
                store().restart();
            }
        }
    }

    @Test
    default void released_entries_are_gone_and_the_rest_is_there() {
        long[] positions = new long[5];
        for (int i = 0; i < positions.length; i++) {
            int seq = i;
            positions[i] =
                    store().commit(t -> t.append(append(1, seq, "c" + seq))).position();
        }

        releaseAll(positions[2]);

        assertThat(store().restart()).extracting(Entry::position).containsExactly(positions[3], positions[4]);
    }

    @Test
    default void a_release_is_bounded_and_repeated_until_its_end_is_reached() {
        long last = 0;
        for (int i = 0; i < 300; i++) {
            int seq = i;
            last = store().commit(t -> t.append(append(1, seq, "c"))).position();
        }
        long end = last;

        releaseAll(end);
        long again = alone().releaseLog(1);

        assertThat(again).isEqualTo(end);
        assertThat(store().restart()).isEmpty();
    }

    @Test
    default void a_release_that_was_rolled_back_releases_nothing() {
        long position = store().commit(t -> t.append(append(1, 0, "a"))).position();

        store().rollBack(t -> t.releaseLog(position));

        assertThat(store().restart()).extracting(Entry::position).containsExactly(position);
    }

    @Test
    default void a_release_reaches_no_further_than_what_is_committed() {
        long position = store().commit(t -> t.append(append(1, 0, "a"))).position();

        store().commit(t -> t.releaseLog(position + 100));
        long next = store().commit(t -> t.append(append(1, 1, "b"))).position();

        assertThat(store().restart()).extracting(Entry::position).containsExactly(next);
    }

    private void releaseAll(long upTo) {
        long released = 0;
        long before = -1;
        while (released < upTo && released > before) {
            before = released;
            released = alone().releaseLog(upTo);
        }
        assertThat(released).isEqualTo(upTo);
    }

    private static void assertSame(List<AppendRecord> actual, AppendRecord... expected) {
        assertThat(actual).usingRecursiveFieldByFieldElementComparator().containsExactly(expected);
    }
}
