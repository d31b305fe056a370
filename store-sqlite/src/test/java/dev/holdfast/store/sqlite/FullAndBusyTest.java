package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.StoreTransaction;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failures of known fate: a full disk, and a file that the application's own connection holds. */
final class FullAndBusyTest {

    @TempDir
    Path folder;

    /** Appends entries of 100 KB until the store is full; returns how many were committed. */
    private static int fill(OpenStore store) {
        byte[] chunk = Rows.random(100_000, 1);
        for (int committed = 0; ; committed++) {
            StoreTransaction tx = store.begin();
            tx.append(AppendRecord.of(1, 1, committed, List.of(chunk)));
            try {
                assertThat(tx.commit().position()).isPositive();
            } catch (StoreFull e) {
                tx.rollback();
                return committed;
            }
            assertThat(committed).isLessThan(1000);
        }
    }

    @Test
    void a_store_at_its_configured_size_refuses_growth_and_goes_on_once_there_is_room() {
        try (OpenStore store = new OpenStore(folder, Rows.settings(3 << 20, Duration.ofSeconds(1)))) {
            store.reopen();
            int committed = fill(store);
            assertThat(committed).isBetween(20, 30);

            StoreTransaction mixed = store.begin();
            assertThatThrownBy(() -> mixed.insertMessage(Rows.message(1, 1, 0, 0), Rows.random(900_000, 2)))
                    .isInstanceOf(StoreFull.class);
            assertThatThrownBy(mixed::commit)
                    .isInstanceOf(StoreFull.class)
                    .as("clients read it, and it must not tell them where the store is")
                    .message()
                    .doesNotContain(folder.toString(), "holdfast.db");
            mixed.rollback();

            store.snapshot(reads -> assertThat(reads.message(1, 1)).isEmpty());
            store.commit(tx -> assertThat(tx.releaseLog(10)).isEqualTo(10));
            assertThat(store.commit(tx -> tx.append(append(1, committed, "x"))).position())
                    .isEqualTo(committed + 1);
            assertThat(store.reopen().positions).hasSize(committed + 1 - 10);
        }
    }

    @Test
    void a_disk_that_is_really_full_is_told_as_full_and_writing_goes_on_once_there_is_room() throws Exception {
        new OpenStore(folder.resolve("first"))
                .close(); // the native library stays loaded from where the first store was
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                Forked.has("mount", "-t", "tmpfs", "-o", "size=6m", "holdfast-test", disk.toString()),
                "a small file system can be mounted here");
        try {
            FileStore space = Files.getFileStore(disk);
            Path ballast = disk.resolve("ballast");
            Files.write(ballast, new byte[3 << 20]);
            try (OpenStore store = new OpenStore(disk.resolve("store"))) {
                int committed = fill(store);
                assertThat(committed).isPositive();
                assertThat(space.getUsableSpace()).isLessThan(200_000);
                assertThatThrownBy(() -> store.commit(
                                tx -> tx.append(AppendRecord.of(1, 1, committed, List.of(Rows.random(400_000, 3))))))
                        .isInstanceOf(StoreFull.class);
                store.snapshot(reads -> assertThat(reads.nextStreamExpiry()).isZero());

                Files.delete(ballast);
                assertThat(store.commit(tx -> tx.append(append(1, committed, "x")))
                                .position())
                        .isEqualTo(committed + 1);
                assertThat(store.reopen().positions).hasSize(committed + 1);
            }
        } finally {
            assertThat(Forked.has("umount", disk.toString())).isTrue();
        }
    }

    @Test
    void a_write_waits_for_the_applications_own_transaction_to_end() throws Exception {
        try (OpenStore store = new OpenStore(folder);
                Connection own = Sql.connect(folder);
                Statement statement = own.createStatement()) {
            statement.execute("CREATE TABLE mine (a INTEGER)");
            statement.execute("BEGIN IMMEDIATE");
            statement.execute("INSERT INTO mine VALUES (1)");
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<Long> position = CompletableFuture.supplyAsync(() -> {
                started.countDown();
                return store.commit(tx -> tx.append(append(1, 0, "x"))).position();
            });
            started.await();
            assertThat(position).isNotDone();
            statement.execute("COMMIT");
            assertThat(position.get()).isEqualTo(1);
            assertThat(Sql.number(folder, "SELECT count(*) FROM mine")).isEqualTo(1);
        }
    }

    @Test
    void a_write_that_waited_for_the_whole_busy_timeout_is_refused_and_can_be_tried_again() throws Exception {
        try (OpenStore store = new OpenStore(folder, Rows.settings(Long.MAX_VALUE, Duration.ofMillis(30)));
                Connection own = Sql.connect(folder);
                Statement statement = own.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            StoreTransaction append = store.begin();
            append.append(append(1, 0, "x"));
            assertThatThrownBy(append::commit).isInstanceOf(StoreBusy.class);
            append.rollback();
            StoreTransaction insert = store.begin();
            assertThatThrownBy(() -> insert.insertStream(Rows.stream(1, "a"))).isInstanceOf(StoreBusy.class);
            insert.rollback();
            store.snapshot(reads -> assertThat(reads.stream(1)).isEmpty());
            statement.execute("COMMIT");
            assertThat(store.commit(tx -> tx.append(append(1, 0, "x"))).position())
                    .isEqualTo(1);
        }
    }

    @Test
    void a_reader_of_the_application_neither_waits_nor_makes_anyone_wait() throws Exception {
        try (OpenStore store = new OpenStore(folder);
                Connection own = Sql.connect(folder);
                Statement statement = own.createStatement()) {
            statement.execute("BEGIN");
            statement.executeQuery("SELECT count(*) FROM holdfast_journal").close();
            store.commit(tx -> tx.append(append(1, 0, "x")));
            statement.execute("COMMIT");
        }
    }
}
