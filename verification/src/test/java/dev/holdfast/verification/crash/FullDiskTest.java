package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Wanted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is really full, in memory and the child's own: what frees space gets through, and the rest goes on once there is room. */
final class FullDiskTest {

    /** Set where this must not be skipped. */
    private static final String REQUIRED = "HOLDFAST_SMALL_DISK_REQUIRED";

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
        return Wanted.runs(command);
    }

    @Test
    void on_a_full_disk_streams_are_deleted_and_everything_goes_on_once_there_is_room() throws InterruptedException {
        Wanted.assume(mayMount(), "a small disk can be mounted here (it takes Linux and user namespaces)", REQUIRED);
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
