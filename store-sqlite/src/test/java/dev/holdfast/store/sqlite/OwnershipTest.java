package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.StoreTransaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that another process opened meanwhile, its lock file removed: the first one stops (ONE-WRITER, FAIL-STOP). */
final class OwnershipTest {

    @TempDir
    Path folder;

    private static void append(OpenStore store, long seq) {
        assertThat(store.commit(tx -> tx.append(Rows.append(1, seq, "x"))).position())
                .isPositive();
    }

    @Test
    void once_another_process_has_the_store_nothing_more_is_written_by_this_one() throws Exception {
        try (OpenStore store = new OpenStore(folder)) {
            store.reopen();
            append(store, 0);
            Files.delete(folder.resolve(FolderLock.FILE_NAME));
            try (Forked other = Forked.start(List.of(), folder, "hold")) {
                assertThat(other.line()).startsWith("open ");

                assertThatThrownBy(() -> append(store, 1))
                        .isInstanceOf(StorePoisoned.class)
                        .hasMessageContaining("Another process opened the store");
                assertThatThrownBy(store::begin).isInstanceOf(StorePoisoned.class);
                assertThat(Sql.number(folder, "SELECT count(*) FROM holdfast_journal"))
                        .isEqualTo(1);
                other.kill();
            }
        }
    }

    @Test
    void nor_by_a_change_that_is_no_append() throws Exception {
        try (OpenStore store = new OpenStore(folder)) {
            store.reopen();
            Sql.run(folder, "UPDATE holdfast_meta SET value = 1 WHERE name = 'owner'");

            StoreTransaction tx = store.begin();
            assertThatThrownBy(() -> tx.reserveKeys(1)).isInstanceOf(StorePoisoned.class);
            tx.rollback();
            assertThatThrownBy(store::begin).isInstanceOf(StorePoisoned.class);
        }
    }

    @Test
    void whoever_opens_it_anew_writes() {
        try (OpenStore store = new OpenStore(folder)) {
            store.reopen();
            append(store, 0);
            store.reopen();
            append(store, 1);
            assertThat(store.reopen().positions).hasSize(2);
        }
    }
}
