package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is on disk when a commit has returned, seen from outside the process. */
final class DurabilityTest {

    @TempDir
    Path folder;

    private long syncs(int commits) throws Exception {
        Path report = folder.resolve("syncs-" + commits);
        Path store = folder.resolve("store-" + commits);
        try (Forked process = Forked.start(
                Strace.record("fsync,fdatasync", report), store, "appendAndHalt", Integer.toString(commits))) {
            assertThat(process.lines()).hasSize(commits + 1).last().isEqualTo("ack " + commits);
        }
        return Strace.read(report).stream()
                .filter(Strace.Call::over)
                .filter(call -> call.name().contains("sync"))
                .count();
    }

    @Test
    void an_append_only_commit_costs_exactly_one_fsync() throws Exception {
        Strace.assume();
        assertThat(syncs(110) - syncs(10)).isEqualTo(100);
    }

    @Test
    void each_acknowledgement_follows_the_sync_of_its_commit_VISIBLE_IS_DURABLE() throws Exception {
        Strace.assume();
        Path report = folder.resolve("calls");
        int commits = 50;
        try (Forked process = Forked.start(
                Strace.record("write,fsync,fdatasync", report),
                folder.resolve("store"),
                "appendAndHalt",
                Integer.toString(commits))) {
            assertThat(process.lines()).hasSize(commits + 1);
        }
        boolean synced = false;
        int acknowledged = 0;
        for (Strace.Call call : Strace.read(report)) {
            if (call.over() && call.isSyncOf("holdfast.db-wal")) {
                synced = true;
            } else if (call.begins()
                    && call.name().equals("write")
                    && call.arguments().contains("\"ack ")) {
                assertThat(synced).as("the log was synced before %s", call).isTrue();
                synced = false;
                acknowledged++;
            }
        }
        assertThat(acknowledged).isEqualTo(commits);
    }

    @Test
    void after_a_failed_fsync_each_write_answers_poisoned_and_all_that_was_acknowledged_is_there_FAIL_STOP()
            throws Exception {
        Strace.assume();
        new OpenStore(folder.resolve("store")).close();
        // The first syncs belong to opening; enough commits follow them to have some acknowledged and some refused.
        List<String> strace = List.of(
                "strace",
                "-f",
                "-o",
                folder.resolve("trace").toString(),
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:error=EIO:when=12+");
        List<String> lines;
        try (Forked process = Forked.start(strace, folder.resolve("store"), "append", "30")) {
            lines = process.lines();
        }
        List<String> acknowledged =
                lines.stream().filter(l -> l.startsWith("ack ")).toList();
        List<String> refused =
                lines.stream().filter(l -> l.startsWith("refused ")).toList();
        assertThat(acknowledged).hasSizeBetween(3, 20);
        assertThat(refused).hasSize(30 - acknowledged.size()).containsOnly("refused StorePoisoned");
        assertThat(lines)
                .filteredOn(l -> l.startsWith("read "))
                .hasSameSizeAs(refused)
                .containsOnly("read 0");
        assertThat(lines.indexOf(refused.getFirst())).isGreaterThan(lines.indexOf(acknowledged.getLast()));

        try (OpenStore store = new OpenStore(folder.resolve("store"))) {
            Rows.Log log = store.reopen();
            // The commit whose fsync failed may be there or not; everything before it is.
            assertThat(log.positions.size()).isBetween(acknowledged.size(), acknowledged.size() + 1);
            store.commit(tx -> tx.append(Rows.append(1, 99, "healed")));
        }
    }

    @Test
    void a_killed_process_leaves_a_prefix_with_all_that_was_acknowledged_EXACT_PREFIX() throws Exception {
        long acknowledged = 0;
        for (int round = 1; round <= 3; round++) {
            try (Forked process = Forked.start(List.of(), folder, "append", "1000000")) {
                assertThat(process.line()).startsWith("open ");
                for (int i = 0; i < 40 * round; i++) {
                    String line = Objects.requireNonNull(process.line());
                    assertThat(line).startsWith("ack ");
                    acknowledged = Long.parseLong(line.substring(4));
                }
                process.kill();
                for (String line = process.line(); line != null && line.startsWith("ack "); line = process.line()) {
                    acknowledged = line.length() > 4
                            ? Math.max(acknowledged, Long.parseLong(line.substring(4)))
                            : acknowledged;
                }
            }
            try (OpenStore store = new OpenStore(folder)) {
                List<Long> positions = store.reopen().positions;
                assertThat(positions.size()).isGreaterThanOrEqualTo((int) acknowledged);
                assertThat(positions)
                        .containsExactlyElementsOf(LongStream.rangeClosed(1, positions.size())
                                .boxed()
                                .toList());
            }
        }
    }
}
