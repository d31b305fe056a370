package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.bytes;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A write of unknown fate ends all writing until a fresh open, and the host lives (FAIL-STOP). */
final class FailStopTest {

    @TempDir
    Path folder;

    private final Fault fault = new Fault();

    private static StorePoisoned failedSync() {
        return new StorePoisoned("injected: the fsync failed", new IOException("injected"));
    }

    @ParameterizedTest
    @EnumSource(When.class)
    void after_a_failed_sync_every_write_is_refused_reads_go_on_and_only_a_fresh_open_heals(When when) {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(fault))) {
            Streams streams = instance.streams();
            StreamWriter writer = streams.open("s");
            writer.append("acknowledged");
            List<String> memory = instance.describe();
            StreamReader reader = streams.tail("s", 0);

            fault.arm("commit", when, 0, FailStopTest::failedSync);
            assertThatThrownBy(() -> writer.append("unknown")).isInstanceOf(StorePoisoned.class);
            fault.disarm();

            assertThatThrownBy(() -> writer.append("after")).isInstanceOf(StorePoisoned.class);
            assertThatThrownBy(() -> streams.open("other")).isInstanceOf(StorePoisoned.class);
            assertThatThrownBy(() -> writer.settle(Settlement.completed().commit(AppTable.message("s", 1))))
                    .isInstanceOf(StorePoisoned.class);
            assertThatThrownBy(() -> streams.delete("s")).isInstanceOf(StorePoisoned.class);
            assertThatThrownBy(() -> writer.appendAsync(AppendRequest.of(chunks("x"))))
                    .isInstanceOf(StorePoisoned.class);

            ReadBatch visible = reader.read(1000);
            assertThat(visible.chunks()).as("VISIBLE-IS-DURABLE").hasSize(1);
            assertThat(instance.engine().describe()).isEqualTo(memory);
            assertThat(streams.status("s").orElseThrow().tail()).isEqualTo(1);

            instance.restart();

            List<String> found = allTexts(instance.streams(), "s");
            assertThat(found).startsWith("acknowledged");
            assertThat(found).hasSize(when == When.AFTER ? 2 : 1);
            assertThat(AppTable.messages(folder)).isEmpty();
            assertThat(instance.streams().open("s").append("heals").firstSeq()).isEqualTo(found.size());
        }
    }

    @Test
    void everyone_who_waits_at_that_moment_is_told_and_nobody_hangs() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(fault))) {
            StreamWriter writer = instance.streams().open("s");
            CountDownLatch release = instance.hold();
            List<CompletableFuture<AppendResult>> waiting = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                waiting.add(writer.appendAsync(AppendRequest.of(List.of(bytes("x" + i)))));
            }
            fault.arm("commit", When.BEFORE, 0, FailStopTest::failedSync);
            release.countDown();
            for (CompletableFuture<AppendResult> each : waiting) {
                assertThatThrownBy(each::join).hasCauseInstanceOf(StorePoisoned.class);
            }
            assertThat(instance.committer().queuedBytes()).isZero();
        }
    }

    @Test
    void a_failed_sync_during_upkeep_poisons_too() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(fault))) {
            StreamWriter writer = instance.streams().open("s");
            fault.arm("insertBlock", When.AFTER, 0, FailStopTest::failedSync);
            writer.append(new byte[300 << 10]);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            writer.append("x");
                        }
                    })
                    .isInstanceOf(StorePoisoned.class);
            fault.disarm();
            instance.restart();
            assertThat(instance.streams().status("s").orElseThrow().tail()).isPositive();
        }
    }

    @Test
    void a_defect_in_the_engine_stops_writing_instead_of_guessing() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(new StoreTap.Observer() {
            @Override
            public void after(String verb, List<String> earlier) {
                if (verb.equals("commit") && earlier.contains("deleteStream")) {
                    throw new AssertionError("injected: memory and disk would differ from here on");
                }
            }
        }))) {
            StreamWriter writer = instance.streams().open("s");
            writer.append("a");
            assertThatThrownBy(() -> instance.streams().delete("s")).isInstanceOf(StorePoisoned.class);
            assertThatThrownBy(() -> writer.append("b")).isInstanceOf(StorePoisoned.class);
        }
    }

    @Test
    void health_is_red_after_a_failed_sync_and_the_next_instance_on_the_same_folder_is_healthy() {
        StoreSettings store = StoreSettings.defaults();
        HoldfastSettings settings = HoldfastSettings.defaults();
        try (Holdfast sick = Holdfast.open(new StoreTap(SqliteStore.open(folder, store), fault), settings)) {
            StreamWriter writer = sick.streams().open("s");
            writer.append("a");
            assertThat(sick.healthy()).isTrue();
            fault.arm("commit", When.BEFORE, 0, FailStopTest::failedSync);
            assertThatThrownBy(() -> writer.append("b")).isInstanceOf(StorePoisoned.class);
            assertThat(sick.healthy()).isFalse();
        }
        try (Holdfast healed = Holdfast.open(folder)) {
            assertThat(healed.healthy()).isTrue();
            assertThat(allTexts(healed.streams(), "s")).containsExactly("a");
            assertThat(healed.streams().open("s").append("b").firstSeq()).isEqualTo(1);
        }
    }

    @Test
    void a_poisoned_instance_does_not_sit_in_a_loop() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(fault))) {
            StreamWriter writer = instance.streams().open("s");
            fault.arm("commit", When.BEFORE, 0, FailStopTest::failedSync);
            assertThatThrownBy(() -> writer.append("a")).isInstanceOf(StorePoisoned.class);
            int tries = fault.seen();
            for (int i = 0; i < 100; i++) {
                instance.committer().nudge();
                instance.clock().advance(Duration.ofHours(1));
                assertThatThrownBy(() -> writer.append("a")).isInstanceOf(StorePoisoned.class);
            }
            assertThat(fault.seen()).isEqualTo(tries);
        }
    }
}
