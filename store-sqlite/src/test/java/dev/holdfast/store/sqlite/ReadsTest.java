package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreProvider;
import dev.holdfast.store.StoreReads;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading on snapshots, and the life of a store. */
final class ReadsTest {

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
    void the_provider_is_found_by_the_service_loader_and_opens_a_store() {
        StoreProvider provider =
                ServiceLoader.load(StoreProvider.class).iterator().next();
        assertThat(provider.name()).isEqualTo("sqlite");
        try (Store other = provider.open(folder.resolve("deep/er folder?x=%41#"), Rows.settings())) {
            assertThat(other.description()).endsWith("deep/er folder?x=%41#/holdfast.db");
        }
    }

    @Test
    void work_that_throws_throws_the_same_exception_at_the_caller_and_the_pool_goes_on() {
        IllegalArgumentException mine = new IllegalArgumentException("mine");
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> store.store().read(reads -> {
                        throw mine;
                    }))
                    .isSameAs(mine);
        }
        store.snapshot(reads -> assertThat(reads.nextStreamExpiry()).isZero());
    }

    @Test
    void reads_are_refused_inside_reads_and_after_their_work_is_over() {
        assertThatThrownBy(() -> store.store().read(reads -> store.store().read(StoreReads::nextStreamExpiry)))
                .isInstanceOf(IllegalStateException.class);
        StoreReads kept = store.store().read(reads -> reads);
        assertThatThrownBy(kept::nextStreamExpiry).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_snapshot_does_not_see_what_is_committed_while_it_is_open() {
        store.commit(tx -> tx.insertSession(session(1, "a", 1)));
        String seen = store.store().read(reads -> {
            boolean before = reads.session(1).isPresent();
            store.commit(tx -> tx.insertSession(session(2, "b", 1)));
            return before + " " + reads.session(2).isPresent();
        });
        assertThat(seen).isEqualTo("true false");
        store.snapshot(reads -> assertThat(reads.session(2)).isPresent());
    }

    @Test
    void a_closed_store_refuses_everything_and_closes_twice() {
        store.close();
        store.close();
        assertThatThrownBy(() -> store.begin()).isInstanceOf(Closed.class);
        assertThatThrownBy(() -> store.store().read(StoreReads::nextStreamExpiry))
                .isInstanceOf(Closed.class);
        store.reopen();
    }
}
