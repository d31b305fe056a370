package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.verification.rig.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is really full, in memory and the child's own: what frees space gets through, and the rest goes on once there is room. */
final class FullDiskTest {

    private static final String ON_A_SMALL_DISK = "mount -t tmpfs -o size=24m tmpfs \"$0\" && exec \"$@\"";

    @TempDir
    Path scratch;

    @TempDir
    Path folder;

    private List<String> launcher() {
        return List.of("unshare", "-rm", "/bin/sh", "-c", ON_A_SMALL_DISK, folder.toString());
    }

    private boolean mayMount() throws InterruptedException {
        List<String> command = new ArrayList<>(launcher());
        command.add("true");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }

    @Test
    void on_a_full_disk_streams_are_deleted_and_everything_goes_on_once_there_is_room() throws InterruptedException {
        assumeTrue(mayMount(), "nobody may mount a small disk here (it takes Linux and user namespaces)");
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(scratch, launcher(), FullDiskMain.class, folder.toString())) {
            int code = child.end(lines::add);
            assertThat(code).as(child.complaints()).isZero();
        }
        assertThat(lines)
                .containsExactly(
                        "FULL true",
                        "DELETED " + FullDiskMain.VICTIMS,
                        "KEPT true",
                        "WORKS true",
                        "HEALTHY true",
                        "ALL true");
    }
}
