package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreLocked;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One open store per folder. */
final class FolderLockTest {

    @TempDir
    Path folder;

    @Test
    void a_second_open_in_the_same_process_is_refused_however_the_folder_is_spelled() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("real")));
        try (OpenStore store = new OpenStore(folder.resolve("real"))) {
            for (Path spelling : List.of(folder.resolve("real"), folder.resolve("real/../real"), link)) {
                assertThatThrownBy(() -> SqliteStore.open(spelling, Rows.settings()))
                        .isInstanceOf(StoreLocked.class)
                        .hasMessageContaining(folder.resolve("real").toString())
                        .hasMessageContaining("in this process");
            }
            assertThat(store.reopen().positions).isEmpty();
        }
    }

    @Test
    void another_process_is_refused_and_told_who_holds_the_store() throws Exception {
        try (OpenStore store = new OpenStore(folder)) {
            assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings())).isInstanceOf(StoreLocked.class);
            try (Forked other = Forked.start(List.of(), folder, "hold")) {
                assertThat(other.lines())
                        .singleElement()
                        .asString()
                        .startsWith("StoreLocked: ")
                        .contains(folder.toString())
                        .contains("pid " + ProcessHandle.current().pid());
            }
            store.commit(tx -> tx.append(Rows.append(1, 0, "x")));
        }
    }

    @Test
    void the_lock_of_a_process_that_was_killed_is_free() throws Exception {
        try (Forked other = Forked.start(List.of(), folder, "hold")) {
            assertThat(other.line()).isEqualTo("open 0");
            assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings()))
                    .isInstanceOf(StoreLocked.class)
                    .hasMessageContaining("pid " + other.pid());
            other.kill();
        }
        new OpenStore(folder).close();
    }

    @Test
    void a_store_that_could_not_be_opened_leaves_no_lock() throws Exception {
        Files.write(folder.resolve("holdfast.db"), Rows.random(8192, 1));
        assertThatThrownBy(() -> SqliteStore.open(folder, Rows.settings())).isNotInstanceOf(StoreLocked.class);
        Files.delete(folder.resolve("holdfast.db"));
        new OpenStore(folder).close();
    }
}
