package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFailed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database of another application is not taken for a store, and a store that an application shares is. */
final class ForeignFileTest {

    @TempDir
    Path folder;

    private void sql(String... statements) throws SQLException {
        Sql.run(folder, statements);
    }

    private SqliteStore open() {
        return SqliteStore.open(folder, Rows.settings());
    }

    @Test
    void a_database_of_another_application_is_refused_and_left_as_it_is() throws Exception {
        sql("CREATE TABLE customers (id INTEGER PRIMARY KEY)");
        byte[] before = Files.readAllBytes(folder.resolve("holdfast.db"));

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("a database of another application");

        assertThat(Files.readAllBytes(folder.resolve("holdfast.db"))).isEqualTo(before);
        try (var files = Files.list(folder)) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("holdfast.db", "holdfast.lock");
        }
    }

    @Test
    void so_is_one_with_a_write_ahead_log_and_one_that_is_signed_by_another_and_empty() throws Exception {
        sql("PRAGMA journal_mode = WAL", "CREATE TABLE customers (id INTEGER PRIMARY KEY)");
        assertThatThrownBy(this::open).isInstanceOf(StoreFailed.class);
        sql("DROP TABLE customers", "PRAGMA application_id = 7");
        assertThatThrownBy(this::open).isInstanceOf(StoreFailed.class);
    }

    @Test
    void a_store_is_signed_and_opens_with_the_tables_of_an_application_in_it() throws Exception {
        open().close();
        sql("CREATE TABLE customers (id INTEGER PRIMARY KEY)");
        assertThat(Sql.number(folder, "PRAGMA application_id")).isEqualTo(ForeignFile.APPLICATION_ID);
        open().close();
    }

    @Test
    void a_store_that_was_never_signed_or_that_the_application_signed_opens() throws Exception {
        open().close();
        sql("PRAGMA application_id = 7");
        open().close();
    }

    @Test
    void a_copy_without_a_write_ahead_log_opens() throws Exception {
        open().close();
        sql("VACUUM INTO '" + folder.resolve("copy.db") + "'");
        Files.delete(folder.resolve("holdfast.db"));
        Files.move(folder.resolve("copy.db"), folder.resolve("holdfast.db"));
        open().close();
    }
}
