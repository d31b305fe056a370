package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.stream.Chunk;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write that the operating system fails in the middle of a commit, through the whole real stack (FAIL-STOP). */
final class WriteFailureTest {

    /** In units of the shell, 512 or 1024 bytes; less than what the log grows to before it starts over. */
    private static final String LIMITED = "ulimit -f 2048; exec \"$@\"";

    @TempDir
    Path scratch;

    @TempDir
    Path folder;

    @Test
    void a_write_that_fails_in_a_commit_stops_writing_the_host_lives_and_a_fresh_open_has_what_was_acknowledged() {
        List<String> lines = new ArrayList<>();
        int code;
        try (Child child =
                Child.start(scratch, List.of("/bin/sh", "-c", LIMITED, "sh"), LimitMain.class, folder.toString())) {
            code = child.end(lines::add);
            assertThat(code).as(child.complaints()).isZero();
        }
        int acknowledged =
                (int) lines.stream().filter(line -> line.startsWith("ACK")).count();
        assertThat(acknowledged).isPositive();
        assertThat(lines.subList(acknowledged, lines.size()))
                .containsExactly(
                        "POISONED", "REFUSED StorePoisoned", "HEALTHY false", "READS " + acknowledged, "LIVES");

        try (Holdfast healed = Holdfast.open(folder)) {
            List<Chunk> read = Reading.all(healed.streams(), "s", 0, Reading.MAX_BYTES);
            assertThat(read.size()).isBetween(acknowledged, acknowledged + 1);
            for (int i = 0; i < read.size(); i++) {
                assertThat(read.get(i).toByteArray()).isEqualTo(Reading.payload("s", i, LimitMain.CHUNK_BYTES));
            }
            assertThat(healed.streams().open("s").append("goes on").firstSeq()).isEqualTo(read.size());
        }
    }
}
