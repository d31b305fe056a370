package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.command.Programs;
import dev.holdfast.stream.Chunk;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Syncs that the operating system fails, through the whole real stack: a library in front of the C library lets SQLite's syncs of one file
 * fail (FAIL-STOP, EXACT-PREFIX). It is built here, so this needs Linux and a C compiler.
 */
final class FailedSyncTest {

    @TempDir
    Path scratch;

    @TempDir
    Path folder;

    private Path library = Path.of("");

    @BeforeEach
    void build() throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "this is Linux, where syncs can be made to fail");
        assumeTrue(Programs.onPath("gcc").isPresent(), "there is a gcc on the PATH, for what makes syncs fail");
        Path source = scratch.resolve("failing-sync.c");
        try (InputStream in = FailedSyncTest.class.getResourceAsStream("failing-sync.c")) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        library = scratch.resolve("failing-sync.so");
        Process gcc = new ProcessBuilder(
                        "gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString(), "-ldl")
                .redirectErrorStream(true)
                .start();
        String complaints = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(gcc.waitFor()).as(complaints).isZero();
    }

    /** Runs the child until it was told of the failed sync, and returns how many appends were acknowledged. */
    private int acknowledged(String file, String... more) {
        List<String> launcher = new ArrayList<>(List.of("/usr/bin/env", "LD_PRELOAD=" + library));
        Path trigger = scratch.resolve("trigger");
        launcher.add("FAIL_SYNC_OF=" + file);
        launcher.add("FAIL_SYNC_WHILE=" + trigger);
        launcher.addAll(List.of(more));
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(scratch, launcher, SyncMain.class, folder.toString(), trigger.toString())) {
            int code = child.end(lines::add);
            assertThat(code).as(child.complaints()).isZero();
            assertThat(child.complaints()).contains("a sync was made to fail");
        }
        int acknowledged =
                (int) lines.stream().takeWhile(line -> line.startsWith("ACK")).count();
        assertThat(lines.subList(acknowledged, lines.size()))
                .as("FAIL-STOP: nothing is acknowledged, all is refused, what was acknowledged is read, the host lives")
                .containsExactly(
                        "POISONED",
                        "REFUSED StorePoisoned",
                        "REFUSED StorePoisoned",
                        "REFUSED StorePoisoned",
                        "HEALTHY false",
                        "READS " + acknowledged,
                        "LIVES");
        return acknowledged;
    }

    /** A fresh open is healthy, has a prefix of so many chunks, and goes on after it. */
    private void assertHeals(int least, int most) {
        try (Holdfast healed = Holdfast.open(folder)) {
            List<Chunk> read = Reading.all(healed.streams(), "s", 0, Reading.MAX_BYTES);
            assertThat(read.size()).as("EXACT-PREFIX").isBetween(least, most);
            for (int i = 0; i < read.size(); i++) {
                assertThat(read.get(i).toByteArray()).isEqualTo(Reading.payload("s", i, SyncMain.CHUNK_BYTES));
            }
            assertThat(healed.healthy()).isTrue();
            assertThat(healed.streams().open("s").append("goes on").firstSeq()).isEqualTo(read.size());
        }
    }

    @Test
    void after_a_failed_sync_of_the_log_nothing_is_acknowledged_and_what_the_kernel_kept_is_a_prefix()
            throws IOException {
        int acknowledged = acknowledged("holdfast.db-wal");
        assertThat(acknowledged).isEqualTo(SyncMain.BEFORE);
        assertHeals(acknowledged, acknowledged + SyncMain.GROUP);
    }

    @Test
    void what_the_kernel_dropped_after_a_failed_sync_of_the_log_was_acknowledged_to_nobody() throws IOException {
        int acknowledged = acknowledged("holdfast.db-wal", "FAIL_SYNC_LOSES=1");
        assertThat(acknowledged).isEqualTo(SyncMain.BEFORE);
        assertHeals(acknowledged, acknowledged);
    }

    @Test
    void a_failed_sync_of_the_database_file_while_the_log_is_copied_stops_writing_as_well() throws IOException {
        int acknowledged = acknowledged("holdfast.db");
        assertThat(acknowledged).isGreaterThan(SyncMain.BEFORE);
        assertHeals(acknowledged, acknowledged + SyncMain.GROUP);
    }
}
