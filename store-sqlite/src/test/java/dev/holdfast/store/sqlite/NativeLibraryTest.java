package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What loading the native library leaves behind, in processes that load it for the first time. */
final class NativeLibraryTest {

    @TempDir
    Path scratch;

    private Path folder;
    private Path temporary;

    @BeforeEach
    void folders() throws IOException {
        folder = Files.createDirectory(scratch.resolve("store"));
        temporary = Files.createDirectory(scratch.resolve("temporary"));
    }

    private Forked start(Path temporaryFolder, String... arguments) throws IOException {
        return Forked.start(
                List.of("env", "JAVA_TOOL_OPTIONS=-XX:-UsePerfData -Djava.io.tmpdir=" + temporaryFolder),
                folder,
                arguments);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    /** Log lines may come before. */
    private static void awaitOpen(Forked process) throws IOException {
        String line = process.line();
        while (line != null && !line.startsWith("open")) {
            line = process.line();
        }
        assertThat(line).isNotNull();
    }

    @Test
    void a_process_that_is_killed_leaves_no_copy_of_it() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Forked process = start(temporary, "hold")) {
                awaitOpen(process);
                assertThat(names(folder)).contains("holdfast.db").doesNotContain(NativeLibrary.FILE_NAME);
                process.kill();
            }
        }
        assertThat(names(temporary)).isEmpty();
    }

    @Test
    void what_a_kill_left_halfway_is_replaced_and_removed() throws Exception {
        Files.writeString(folder.resolve(NativeLibrary.FILE_NAME), "half a library");
        try (Forked process = start(temporary, "append", "1")) {
            assertThat(process.lines()).containsExactly("open 0", "ack 1");
        }
        assertThat(names(folder)).containsExactly("holdfast.db", "holdfast.lock", "holdfast.reserve");
        assertThat(names(temporary)).isEmpty();
    }

    @Test
    void where_the_folder_does_not_take_it_the_temporary_folder_does() throws Exception {
        Path inTheWay = Files.createDirectory(folder.resolve(NativeLibrary.FILE_NAME));
        Files.createFile(inTheWay.resolve("x"));
        try (Forked process = start(temporary, "hold")) {
            awaitOpen(process);
            assertThat(names(temporary)).anyMatch(name -> name.contains("sqlitejdbc"));
        }
    }

    @Test
    void where_neither_does_it_says_what_to_do() throws Exception {
        Path inTheWay = Files.createDirectory(folder.resolve(NativeLibrary.FILE_NAME));
        Files.createFile(inTheWay.resolve("x"));
        try (Forked process = start(scratch.resolve("missing"), "hold")) {
            assertThat(process.lines())
                    .last()
                    .asString()
                    .startsWith("StoreFailed: SQLite's native library can be loaded neither from " + folder)
                    .endsWith("Start Java with -Dorg.sqlite.tmpdir=FOLDER, a folder whose files can be executed.");
        }
    }

    @Test
    void where_the_application_says_where_the_driver_does_it_there() throws Exception {
        Path chosen = Files.createDirectory(scratch.resolve("chosen"));
        try (Forked process =
                Forked.start(List.of("env", "JAVA_TOOL_OPTIONS=-Dorg.sqlite.tmpdir=" + chosen), folder, "hold")) {
            awaitOpen(process);
            assertThat(names(chosen)).anyMatch(name -> name.contains("sqlitejdbc"));
        }
    }
}
