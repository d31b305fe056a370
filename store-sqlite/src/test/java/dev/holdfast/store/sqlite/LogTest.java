package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.append;
import static dev.holdfast.store.sqlite.Rows.bytes;
import static dev.holdfast.store.sqlite.Rows.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StoreTransaction.Receipt;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log: appends, recovery and release. */
final class LogTest {

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

    @Test
    void the_appends_of_one_commit_are_one_log_entry_and_come_back_in_order_after_a_restart() {
        Receipt first = store.commit(tx -> {
            tx.append(append(1, 0, "a", "b"));
            tx.append(new AppendRecord(2, 3, 0, List.of(bytes("c")), new AppendRecord.ProducerMark("p", 1, 9), null));
        });
        Receipt second = store.commit(tx -> tx.append(append(1, 2, "d")));
        Receipt nothing = store.commit(tx -> {});

        assertThat(first.position()).isEqualTo(1);
        assertThat(first.bytes()).isGreaterThan(24);
        assertThat(first.committedAt()).isEqualTo(NOW);
        assertThat(second.position()).isEqualTo(2);
        assertThat(nothing).isEqualTo(new Receipt(0, 0, NOW));

        Rows.Log log = store.reopen();
        assertThat(log.positions).containsExactly(1L, 2L);
        assertThat(log.texts()).containsExactly("1:a", "1:b", "2:c", "1:d");
        assertThat(log.records.get(1).producer()).isEqualTo(new AppendRecord.ProducerMark("p", 1, 9));
        assertThat(log.records.get(1).epoch()).isEqualTo(3);
        assertThat(store.commit(tx -> tx.append(append(1, 3, "e"))).position()).isEqualTo(3);
    }

    @Test
    void a_released_log_starts_behind_what_was_released_and_positions_go_on() {
        for (int i = 0; i < 10; i++) {
            int n = i;
            store.commit(tx -> tx.append(append(1, n, "c" + n)));
        }
        store.commit(tx -> assertThat(tx.releaseLog(7)).isEqualTo(7));
        store.commit(tx -> assertThat(tx.releaseLog(3)).isEqualTo(7));
        Rows.Log log = store.reopen();
        assertThat(log.positions).containsExactly(8L, 9L, 10L);

        store.commit(tx -> assertThat(tx.releaseLog(Long.MAX_VALUE)).isEqualTo(10));
        Rows.Log empty = store.reopen();
        assertThat(empty.positions).isEmpty();
        assertThat(store.commit(tx -> tx.append(append(1, 10, "x"))).position()).isEqualTo(11);
    }

    @Test
    void one_release_deletes_no_more_than_its_limits_allow() {
        byte[] large = random(9 << 20, 1);
        for (int i = 0; i < 3; i++) {
            int n = i;
            store.commit(tx -> tx.append(AppendRecord.of(1, 1, n, List.of(large))));
        }
        store.commit(tx -> assertThat(tx.releaseLog(3)).isEqualTo(1));
        store.commit(tx -> assertThat(tx.releaseLog(3)).isEqualTo(2));
        store.commit(tx -> assertThat(tx.releaseLog(3)).isEqualTo(3));

        for (int i = 0; i < SqliteLimits.MAX_RELEASE_ENTRIES + 10; i++) {
            int n = i;
            store.commit(tx -> tx.append(append(1, n, "c")));
        }
        store.commit(tx -> assertThat(tx.releaseLog(Long.MAX_VALUE)).isEqualTo(3 + SqliteLimits.MAX_RELEASE_ENTRIES));
    }

    @Test
    void a_rolled_back_release_and_append_leave_the_log_as_it_was() {
        store.commit(tx -> tx.append(append(1, 0, "a")));
        StoreTransaction tx = store.begin();
        tx.append(append(1, 1, "b"));
        assertThat(tx.releaseLog(1)).isEqualTo(1);
        tx.rollback();
        tx.rollback();
        assertThat(store.commit(t -> t.append(append(1, 1, "B"))).position()).isEqualTo(2);
        Rows.Log log = store.reopen();
        assertThat(log.texts()).containsExactly("1:a", "1:B");
    }

    @Test
    void keys_are_never_handed_out_twice_not_even_after_a_rollback_or_a_restart() {
        StoreTransaction lost = store.begin();
        assertThat(lost.reserveKeys(10)).isEqualTo(1);
        lost.rollback();
        store.commit(tx -> assertThat(tx.reserveKeys(5)).isEqualTo(11));
        store.commit(tx -> assertThat(tx.reserveKeys(1)).isEqualTo(16));
        store.reopen();
        store.commit(tx -> assertThat(tx.reserveKeys(1)).isEqualTo(17));
    }

    @Test
    void no_other_node_follows_the_log_of_an_embedded_store() {
        store.snapshot(reads -> assertThatThrownBy(() -> reads.log(1, 0, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("no other node"));
    }
}
