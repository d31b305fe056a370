package dev.holdfast.verification.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.launcher.Checkout.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One build at a time in a checkout, whoever is killed when. */
final class BuildLockTest {

    private static final int CONTENDERS = 6;

    @TempDir
    private Path folder;

    private Checkout checkout;

    @BeforeEach
    void copy() throws IOException {
        checkout = new Checkout(folder.resolve("holdfast"));
    }

    private void lockAs(long process) throws IOException {
        Files.createDirectories(checkout.lock().getParent());
        Files.createSymbolicLink(checkout.lock(), Path.of("process " + process));
    }

    private static long deadProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private void assertNoLockIsLeft() {
        assertThat(Files.exists(checkout.lock(), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(checkout.root().resolve("target").toFile().list())
                .as("files of the lock")
                .noneMatch(name -> name.startsWith("build.lock"));
    }

    private void assertBuiltOnce() throws IOException {
        assertThat(checkout.calls()).as("built once").hasSize(2).endsWith("end");
    }

    @Test
    void two_first_starts_build_once() throws Exception {
        checkout.closeGate();
        Started first = checkout.start("serve");
        checkout.awaitBuild();
        Started second = checkout.start("serve");
        second.awaitSaid("waiting for another build in this checkout (process "
                + first.process().pid());
        checkout.openGate();
        assertThat(first.end()).as(first.err()).isZero();
        assertThat(second.end()).as(second.err()).isZero();
        assertBuiltOnce();
        assertNoLockIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void an_interrupted_first_build_leaves_no_lock(String signal, int code) throws Exception {
        checkout.closeGate();
        Started start = checkout.start("serve");
        checkout.awaitBuild();
        assertThat(Files.readSymbolicLink(checkout.lock()))
                .hasToString("process " + start.process().pid());
        start.signal(signal);
        assertThat(start.end()).as(start.err()).isEqualTo(code);
        assertNoLockIsLeft();
    }

    @Test
    void who_is_interrupted_while_it_waits_leaves_the_lock_to_its_holder() throws Exception {
        long holder = ProcessHandle.current().pid();
        lockAs(holder);
        Started waiting = checkout.start("serve");
        waiting.awaitSaid("waiting for another build");
        waiting.signal("TERM");
        assertThat(waiting.end()).isEqualTo(143);
        assertThat(Files.readSymbolicLink(checkout.lock())).hasToString("process " + holder);
    }

    @Test
    void a_killed_build_holds_up_nobody() throws Exception {
        checkout.closeGate();
        Started killed = checkout.start("serve");
        checkout.awaitBuild();
        killed.signal("KILL");
        assertThat(killed.end()).isEqualTo(137);
        assertThat(Files.isSymbolicLink(checkout.lock())).as("a kill leaves it").isTrue();
        Files.delete(checkout.root().resolve("gate"));
        Started next = checkout.start("serve");
        assertThat(next.end()).as(next.err()).isZero();
        assertThat(checkout.calls()).hasSize(3).endsWith("end");
        assertNoLockIsLeft();
    }

    @Test
    void of_many_who_find_a_dead_holder_one_builds() throws Exception {
        lockAs(deadProcess());
        List<Started> all = new ArrayList<>();
        for (int i = 0; i < CONTENDERS; i++) {
            all.add(checkout.start("serve"));
        }
        for (Started each : all) {
            assertThat(each.end()).as(each.err()).isZero();
        }
        assertBuiltOnce();
        assertNoLockIsLeft();
    }

    @Test
    void another_users_process_counts_as_alive() throws Exception {
        lockAs(1); // of root, whoever runs this test
        Started waiting = checkout.start("serve");
        waiting.awaitSaid("process 1;");
        assertThat(Files.readSymbolicLink(checkout.lock())).hasToString("process 1");
        Files.delete(checkout.lock());
        assertThat(waiting.end()).as(waiting.err()).isZero();
        assertBuiltOnce();
    }

    @Test
    void a_start_that_was_killed_while_it_took_a_lock_away_is_named() throws Exception {
        lockAs(deadProcess());
        Path second = checkout.root().resolve("target/build.lock.dead");
        Files.createSymbolicLink(second, Path.of("process " + deadProcess()));
        Started start = checkout.start("serve");
        assertThat(start.end()).isEqualTo(1);
        assertThat(start.err().strip()).endsWith("remove " + second.toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertThat(start.err().lines()).hasSize(1);
    }
}
