package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Wanted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What durability costs, counted by the operating system: one sync of the write-ahead log for each commit, whoever shares it. */
final class SyncCountTest {

    /** Set where this must not be skipped. */
    private static final String REQUIRED = "HOLDFAST_STRACE_REQUIRED";

    private static final Pattern SYNC = Pattern.compile("f(?:data)?sync\\(\\d+<.*holdfast\\.db-wal>");

    @TempDir
    Path scratch;

    @TempDir
    Path folder;

    @Test
    void producers_that_wait_at_the_same_time_share_a_sync_and_a_cutover_costs_one() throws Exception {
        Wanted.assume(Wanted.runs(List.of("strace", "-o", "/dev/null", "true")), "strace can be run here", REQUIRED);
        Path trace = scratch.resolve("trace");
        List<String> strace =
                List.of("strace", "-f", "-y", "-e", "trace=write,fsync,fdatasync", "-o", trace.toString());
        List<String> said = new ArrayList<>();
        try (Child child = Child.start(scratch, strace, CountedMain.class, folder.toString())) {
            assertThat(child.end(said::add)).as(child.complaints()).isZero();
        }

        long group = number(said, "END group ");
        assertThat(group)
                .as(
                        "commits of %d appends that waited together, of which a few may have come a moment later",
                        CountedMain.PRODUCERS)
                .isBetween(1L, 4L);
        assertThat(syncs(trace, "BEGIN group", "END group")).isEqualTo(group);
        assertThat(number(said, "OWN cutover ")).isEqualTo(1);
        assertThat(syncs(trace, "BEGIN cutover", "TOLD cutover")).isEqualTo(1);
        assertThat(syncs(trace, "BEGIN cutover", "END cutover")).isEqualTo(number(said, "END cutover "));
    }

    private static long number(List<String> said, String prefix) {
        return said.stream()
                .filter(line -> line.startsWith(prefix))
                .mapToLong(line -> Long.parseLong(line.substring(prefix.length())))
                .findFirst()
                .orElseThrow();
    }

    /** Syncs of the log that began between the writes of two lines. */
    private static long syncs(Path trace, String from, String to) throws IOException {
        List<String> calls = Files.readAllLines(trace);
        return calls.stream()
                .dropWhile(call -> !call.contains("\"" + from))
                .takeWhile(call -> !call.contains("\"" + to))
                .filter(call -> SYNC.matcher(call).find())
                .count();
    }
}
