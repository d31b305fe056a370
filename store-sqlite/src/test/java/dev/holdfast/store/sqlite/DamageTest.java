package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store whose contents are not what was written is refused with words that say what is wrong; and the versions of its schema. */
final class DamageTest {

    @TempDir
    Path folder;

    @BeforeEach
    void writeTenEntriesAndReleaseThree() {
        try (OpenStore store = new OpenStore(folder)) {
            for (int i = 0; i < 10; i++) {
                int n = i;
                store.commit(tx -> tx.append(Rows.append(1, n, "chunk " + n)));
            }
            store.commit(tx -> tx.releaseLog(3));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "DELETE FROM holdfast_journal WHERE id = 4 | entry 4 should come next",
                "DELETE FROM holdfast_journal WHERE id = 7 | entry 7 should come next",
                "DELETE FROM holdfast_journal WHERE id > 5 AND id < 9 | entry 6 should come next",
                "DELETE FROM holdfast_journal WHERE id = 10 | ends before entry 10, but it once held entry 10",
                "DELETE FROM holdfast_journal | ends before entry 4",
                "INSERT INTO holdfast_journal (id, data) VALUES (2, x'00') | entry 4 should come next, but entry 2 does",
                "UPDATE holdfast_journal SET data = x'48' WHERE id = 6 | Log entry 6 is damaged",
                "UPDATE holdfast_journal SET data = CAST(replace(data, 'chunk', 'chunK') AS BLOB) WHERE id = 6 | Log entry 6 is damaged",
            })
    void a_journal_with_a_hole_or_a_changed_row_is_refused(String damage, String message) throws Exception {
        Sql.run(folder, damage);
        try (SqliteStore store = SqliteStore.open(folder, Rows.settings())) {
            assertThatThrownBy(() -> store.recover(new Rows.Log()))
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContaining(message)
                    .hasMessageContaining("backup");
        }
    }

    @Test
    void a_file_that_is_no_database_is_refused() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        Files.write(other.resolve("holdfast.db"), Rows.random(20_000, 1));
        assertThatThrownBy(() -> SqliteStore.open(other, Rows.settings())).isInstanceOf(StoreDamaged.class);
    }

    @Test
    void a_page_overwritten_with_noise_is_damage_and_not_an_answer() throws Exception {
        Path file = folder.resolve("holdfast.db");
        byte[] bytes = Files.readAllBytes(file);
        System.arraycopy(Rows.random(bytes.length - 4096, 2), 0, bytes, 4096, bytes.length - 4096);
        Files.write(file, bytes);
        assertThatThrownBy(() -> {
                    try (SqliteStore store = SqliteStore.open(folder, Rows.settings())) {
                        store.recover(new Rows.Log());
                    }
                })
                .isInstanceOf(StoreDamaged.class);
    }

    @Test
    void a_store_of_a_newer_version_is_refused_and_left_alone() throws Exception {
        int newer = Schema.STEPS.size() + 1;
        Sql.run(folder, "UPDATE holdfast_meta SET value = " + newer + " WHERE name = 'schema_version'");
        byte[] before = Files.readAllBytes(folder.resolve("holdfast.db"));
        assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings()))
                .isInstanceOf(StoreTooNew.class)
                .hasMessageContaining("schema version " + newer);
        assertThat(Files.readAllBytes(folder.resolve("holdfast.db"))).isEqualTo(before);
    }

    @Test
    void a_store_of_an_older_version_is_migrated_step_by_step_with_its_contents() throws Exception {
        SqliteStore.Options options = StoreProcess.newer();
        for (int round = 0; round < 2; round++) {
            try (SqliteStore store = SqliteStore.open(folder, Rows.settings(), options)) {
                Rows.Log log = new Rows.Log();
                store.recover(log);
                assertThat(log.positions).hasSize(7);
            }
            assertThat(Sql.number(folder, "SELECT sum(a) FROM holdfast_extra")).isEqualTo(3);
            assertThat(Sql.number(folder, "SELECT value FROM holdfast_meta WHERE name = 'schema_version'"))
                    .isEqualTo(options.schema().size());
        }
        assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings())).isInstanceOf(StoreTooNew.class);
    }

    @Test
    void a_migration_that_fails_leaves_the_store_at_the_version_before() throws Exception {
        List<List<String>> steps = new ArrayList<>(Schema.STEPS);
        steps.add(List.of("CREATE TABLE holdfast_extra (a INTEGER)", "INSERT INTO holdfast_missing VALUES (1)"));
        SqliteStore.Options options = new SqliteStore.Options(steps, Checkpointer.Bounds.defaults());
        assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings(), options))
                .hasMessageContaining("holdfast_missing");
        assertThat(Sql.number(folder, "SELECT count(*) FROM sqlite_schema WHERE name = 'holdfast_extra'"))
                .isZero();
        new OpenStore(folder).close();
    }
}
