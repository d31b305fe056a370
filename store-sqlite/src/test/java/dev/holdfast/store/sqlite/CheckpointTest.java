package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.store.AppendRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log stays bounded (BOUNDED). */
final class CheckpointTest {

    private static final byte[] CHUNK = Rows.random(20_000, 1);
    private static final Checkpointer.Bounds SMALL = new Checkpointer.Bounds(256 << 10, 1 << 20, 4 << 20);

    @TempDir
    Path folder;

    private SqliteStore open() {
        SqliteStore store = SqliteStore.open(
                folder,
                Rows.settings(Long.MAX_VALUE, Duration.ofMillis(20)),
                new SqliteStore.Options(Schema.STEPS, SMALL));
        store.recover(new Rows.Log());
        return store;
    }

    private static void append(SqliteStore store) {
        var tx = store.begin();
        tx.append(AppendRecord.of(1, 1, 0, List.of(CHUNK)));
        tx.commit();
    }

    private long walBytes() throws IOException {
        return Files.size(folder.resolve("holdfast.db-wal"));
    }

    @Test
    void under_continuous_load_the_log_starts_over_again_and_again() throws Exception {
        try (SqliteStore store = open()) {
            for (int i = 0; i < 300; i++) {
                append(store);
            }
            assertThat(walBytes()).isLessThan(SMALL.copyBytes() + (100 << 10));
        }
    }

    @Test
    void with_readers_that_follow_each_other_without_a_gap_the_log_starts_over_too() throws Exception {
        try (SqliteStore store = open()) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Thread> readers = List.of(reader(store, stop), reader(store, stop));
            try {
                for (int i = 0; i < 600; i++) {
                    append(store);
                }
            } finally {
                stop.set(true);
                for (Thread reader : readers) {
                    reader.join();
                }
            }
            assertThat(walBytes()).isLessThan(SMALL.maxBytes());
        }
    }

    private static Thread reader(SqliteStore store, AtomicBoolean stop) {
        return Thread.ofVirtual().start(() -> {
            while (!stop.get()) {
                long unused = store.read(reads -> {
                    long sum = 0;
                    for (int i = 0; i < 30; i++) {
                        sum += reads.feedNext(i);
                    }
                    return sum;
                });
            }
        });
    }

    @Test
    void a_reader_of_the_application_that_never_ends_makes_writes_busy_at_the_limit_until_it_ends() throws Exception {
        try (SqliteStore store = open();
                Connection own = Sql.connect(folder);
                Statement statement = own.createStatement()) {
            append(store);
            statement.execute("BEGIN");
            statement.executeQuery("SELECT count(*) FROM holdfast_journal").close();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            append(store);
                        }
                    })
                    .isInstanceOf(StoreBusy.class)
                    .hasMessageContaining("reader");
            assertThatThrownBy(store::begin).isInstanceOf(StoreBusy.class);
            assertThat(walBytes()).isLessThan(SMALL.maxBytes() + (200 << 10));

            statement.execute("COMMIT");
            for (int i = 0; i < 100; i++) {
                append(store);
            }
        }
    }

    @Test
    void the_log_of_one_huge_transaction_is_cut_when_it_starts_over() throws Exception {
        try (OpenStore store = new OpenStore(folder)) {
            store.commit(tx -> tx.insertMessage(Rows.message(1, 1, 0, 0), Rows.random(40 << 20, 2)));
            assertThat(walBytes()).isGreaterThan(40 << 20);
            store.commit(tx -> tx.append(Rows.append(1, 0, "x")));
            assertThat(walBytes()).isLessThanOrEqualTo(SqliteLimits.KEPT_WAL_BYTES);
        }
    }

    @Test
    void a_closed_store_is_one_file_beside_its_lock_and_its_reserve() throws Exception {
        try (SqliteStore store = open()) {
            append(store);
        }
        try (var files = Files.list(folder)) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .containsExactlyInAnyOrder("holdfast.db", "holdfast.lock", "holdfast.reserve");
        }
    }
}
