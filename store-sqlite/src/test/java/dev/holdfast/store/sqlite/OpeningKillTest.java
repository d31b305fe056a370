package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process killed as it opens a store: at each of its system calls that changes a file, one after the other. The store was left by a kill and
 * is of an older version, so that opening it migrates it and copies its write-ahead log.
 */
final class OpeningKillTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));

    private static final int STRIDE = NIGHTLY ? 1 : 2;

    private static final int ENTRIES = 40;

    /** That opening has fewer calls than this means that most went unseen. */
    private static final int LEAST_CALLS = 12;

    private static final int MOST_CALLS = 200;

    /** How a process ends that was killed. */
    private static final int SIGKILL = 128 + 9;

    @TempDir
    Path folder;

    @Test
    void a_kill_at_any_change_of_a_file_while_a_store_opens_leaves_all_of_it_to_the_next_one_EXACT_PREFIX()
            throws Exception {
        Strace.assume();
        Path left = folder.resolve("left");
        long entries = leaveByKill(left);
        int n = 1;
        for (; n < MOST_CALLS && openAndKill(left, n); n += STRIDE) {
            checkNextOpening(folder.resolve("store" + n), entries);
        }
        assertThat(n).as("calls that change a file").isBetween(LEAST_CALLS, MOST_CALLS - 1);
    }

    /** A store that its process was killed on, after so many commits at least. */
    private static long leaveByKill(Path store) throws Exception {
        try (Forked process = Forked.start(List.of(), store, "append", "1000000")) {
            String line = "";
            while (!line.equals("ack " + ENTRIES)) {
                line = Objects.requireNonNull(process.line());
            }
            process.kill();
        }
        Path copy = store.resolveSibling("counted");
        copy(store, copy);
        try (OpenStore counted = new OpenStore(copy)) {
            return counted.reopen().positions.size();
        }
    }

    /** Returns whether it was killed; else it had opened the store before its {@code n}th call. */
    private boolean openAndKill(Path left, int n) throws Exception {
        Path store = folder.resolve("store" + n);
        copy(left, store);
        Path report = folder.resolve("trace" + n);
        try (Forked process = Forked.start(Strace.killAtChange(n, store, report), store, "migrate")) {
            List<String> lines = process.lines();
            assertThat(lines).allMatch(line -> line.startsWith("open "));
            assertThat(process.exitCode()).as("how it ended, at %d", n).isEqualTo(lines.isEmpty() ? SIGKILL : 0);
            return lines.isEmpty();
        }
    }

    private static void checkNextOpening(Path store, long entries) throws Exception {
        try (SqliteStore opened = SqliteStore.open(store, Rows.settings(), StoreProcess.newer())) {
            Rows.Log log = new Rows.Log();
            opened.recover(log);
            assertThat(log.positions)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, entries).boxed().toList());
        }
        assertThat(Sql.number(store, "SELECT sum(a) FROM holdfast_extra")).isEqualTo(3);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
