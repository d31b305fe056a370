package dev.holdfast.verification.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.bench.command.Programs;
import dev.holdfast.verification.launcher.Checkout.Started;
import dev.holdfast.verification.rig.Signals;
import dev.holdfast.verification.rig.Wanted;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One build at a time in a checkout, whoever is killed when. */
final class BuildLockTest {

    private static final int CONTENDERS = 6;

    /** What keeps the lock. */
    enum Keeper {
        KERNEL,
        LINK
    }

    @TempDir
    private Path folder;

    private Checkout checkout;

    @BeforeEach
    void copy() throws IOException {
        checkout = new Checkout(folder.resolve("holdfast"));
    }

    private void keptBy(Keeper keeper) throws IOException {
        switch (keeper) {
            case KERNEL -> Assumptions.assumeTrue(Programs.onPath("flock").isPresent(), "there is a flock on the PATH");
            case LINK -> checkout.withoutLocksOfTheKernel();
        }
    }

    /** Makes it the lock's holder where the lock is a link. */
    private void linkTo(long process) throws IOException {
        keptBy(Keeper.LINK);
        Files.createDirectories(checkout.link().getParent());
        Files.createSymbolicLink(checkout.link(), Path.of("process " + process));
    }

    private static long deadProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private void assertNoLockIsLeft(Keeper keeper) throws Exception {
        assertThat(checkout.root().resolve("target").toFile().list())
                .as("files of the lock")
                .noneMatch(name -> name.startsWith("build.lock"));
        if (keeper == Keeper.KERNEL) {
            List<String> take = List.of("flock", "-n", checkout.lockedFile().toString(), "true");
            await("the last process of the build lets go of the lock")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> Wanted.runs(take));
        }
    }

    private void assertBuiltOnce() throws IOException {
        assertThat(checkout.calls()).as("built once").hasSize(2).endsWith("end");
    }

    @ParameterizedTest
    @EnumSource(Keeper.class)
    void two_first_starts_build_once(Keeper keeper) throws Exception {
        keptBy(keeper);
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
        assertNoLockIsLeft(keeper);
    }

    @ParameterizedTest
    @CsvSource({
        "KERNEL, INT, 130",
        "KERNEL, TERM, 143",
        "KERNEL, HUP, 129",
        "LINK, INT, 130",
        "LINK, TERM, 143",
        "LINK, HUP, 129"
    })
    void an_interrupted_first_build_leaves_no_lock(Keeper keeper, String signal, int code) throws Exception {
        keptBy(keeper);
        checkout.closeGate();
        Started start = checkout.start("serve");
        checkout.awaitBuild();
        start.signal(signal);
        assertThat(start.end()).as(start.err()).isEqualTo(code);
        assertNoLockIsLeft(keeper);
    }

    @ParameterizedTest
    @EnumSource(Keeper.class)
    void who_is_interrupted_while_it_waits_leaves_the_lock_to_its_holder(Keeper keeper) throws Exception {
        keptBy(keeper);
        checkout.closeGate();
        Started first = checkout.start("serve");
        checkout.awaitBuild();
        Started second = checkout.start("serve");
        second.awaitSaid("waiting for another build");
        second.signal("TERM");
        assertThat(second.end()).isEqualTo(143);
        Started third = checkout.start("serve");
        third.awaitSaid("waiting for another build");
        checkout.openGate();
        assertThat(first.end()).as(first.err()).isZero();
        assertThat(third.end()).as(third.err()).isZero();
        assertBuiltOnce();
    }

    @ParameterizedTest
    @EnumSource(Keeper.class)
    void a_killed_build_holds_up_nobody(Keeper keeper) throws Exception {
        keptBy(keeper);
        checkout.closeGate();
        Started killed = checkout.start("serve");
        checkout.awaitBuild();
        killed.signal("KILL");
        assertThat(killed.end()).isEqualTo(137);
        Files.delete(checkout.root().resolve("gate"));
        Started next = checkout.start("serve");
        assertThat(next.end()).as(next.err()).isZero();
        assertThat(checkout.calls()).hasSize(3).endsWith("end");
        assertNoLockIsLeft(keeper);
    }

    @Test
    void a_build_that_outlives_its_launcher_is_waited_for() throws Exception {
        keptBy(Keeper.KERNEL);
        checkout.closeGate();
        Started killed = checkout.start("serve");
        checkout.awaitBuild();
        Signals.send("KILL", killed.process().pid());
        assertThat(killed.end()).isEqualTo(137);
        Started next = checkout.start("serve");
        next.awaitSaid("waiting for another build");
        checkout.openGate();
        assertThat(next.end()).as(next.err()).isZero();
        assertThat(checkout.calls())
                .as("one behind the other")
                .hasSize(4)
                .element(1)
                .isEqualTo("end");
    }

    @Test
    void a_holder_that_cannot_be_seen_from_here_is_waited_for() throws Exception {
        keptBy(Keeper.KERNEL);
        Files.createDirectories(checkout.lockedFile().getParent());
        String unseen = Long.toString(deadProcess());
        Files.writeString(checkout.lockedFile(), unseen + "\n");
        Process elsewhere = new ProcessBuilder("flock", checkout.lockedFile().toString(), "cat").start();
        Started waiting;
        try (BufferedWriter input = elsewhere.outputWriter()) { // it holds the lock until its input ends
            input.write("locked\n");
            input.flush();
            assertThat(elsewhere.inputReader().readLine()).isEqualTo("locked");
            waiting = checkout.start("serve");
            waiting.awaitSaid("(process " + unseen + ")");
            assertThat(checkout.calls()).isEmpty();
        }
        assertThat(waiting.end()).as(waiting.err()).isZero();
        assertBuiltOnce();
    }

    @Test
    void of_many_who_find_a_dead_holder_one_builds() throws Exception {
        linkTo(deadProcess());
        List<Started> all = new ArrayList<>();
        for (int i = 0; i < CONTENDERS; i++) {
            all.add(checkout.start("serve"));
        }
        for (Started each : all) {
            assertThat(each.end()).as(each.err()).isZero();
        }
        assertBuiltOnce();
        assertNoLockIsLeft(Keeper.LINK);
    }

    @Test
    void another_users_process_counts_as_alive() throws Exception {
        linkTo(1); // of root, whoever runs this test
        Started waiting = checkout.start("serve");
        waiting.awaitSaid("process 1;");
        assertThat(Files.readSymbolicLink(checkout.link())).hasToString("process 1");
        Files.delete(checkout.link());
        assertThat(waiting.end()).as(waiting.err()).isZero();
        assertBuiltOnce();
    }

    @Test
    void a_start_that_was_killed_while_it_took_a_lock_away_is_named() throws Exception {
        linkTo(deadProcess());
        Path second = checkout.root().resolve("target/build.lock.dead");
        Files.createSymbolicLink(second, Path.of("process " + deadProcess()));
        Started start = checkout.start("serve");
        assertThat(start.end()).isEqualTo(1);
        assertThat(start.err().strip()).endsWith("remove " + second.toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertThat(start.err().lines()).hasSize(1);
    }
}
