package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process killed at each step of a fork and of the end of a chain of forks, and what the next one finds. */
final class ForkCrashTest {

    @TempDir
    static Path scratch;

    @TempDir
    Path folder;

    private void killAt(Point point) {
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(scratch, ForkMain.class, folder.toString(), point.name())) {
            child.readUntil(line -> line.startsWith("AT ") || line.startsWith("MISSED"), lines::add);
            child.kill(lines::add);
        }
        assertThat(lines).contains("READY", "AT " + point);
    }

    private static List<String> texts(Instance instance, String name) {
        List<String> texts = new ArrayList<>();
        for (Chunk chunk : Reading.all(instance.streams(), name, 0, Reading.MAX_BYTES)) {
            texts.add(chunk.size() > 100 ? "block " + chunk.toByteArray()[0] : chunk.text());
        }
        return texts;
    }

    /** Ends the chain from its last fork on, and looks whether anything stays. */
    private static void endAll(Instance instance, String... forks) {
        for (String fork : forks) {
            assertThat(instance.streams().delete(fork)).isTrue();
        }
        assertNothingIsLeft(instance);
    }

    private static void assertNothingIsLeft(Instance instance) {
        instance.settleDown();
        for (int i = 0; i < 2; i++) {
            assertThat(instance.streams().status("base")).isEmpty();
            assertThat(instance.streams().status("mid")).isEmpty();
            for (long key = 1; key < 10; key++) {
                long each = key;
                boolean hasBlocks =
                        instance.store().read(reads -> !reads.blocks(each, 0, 1).isEmpty());
                assertThat(hasBlocks).as("blocks of stream %d", key).isFalse();
            }
            instance.restart();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_FORK_COMMIT", "AFTER_FORK_COMMIT"})
    void a_fork_is_there_with_its_hold_on_the_source_or_not_at_all(Point point) {
        killAt(point);
        boolean forked = point == Point.AFTER_FORK_COMMIT;
        try (Instance instance = new Instance(folder)) {
            List<String> names = instance.streams().list(StreamListing.all()).stream()
                    .map(StreamStatus::name)
                    .toList();
            assertThat(names).isEqualTo(forked ? List.of("late", "leaf") : List.of("leaf"));
            assertThat(texts(instance, "leaf")).containsExactly("block 1", "block 2", "base", "mid", "block 3", "leaf");
            if (forked) {
                assertThat(instance.streams().delete("leaf")).isTrue();
                assertThatThrownBy(() -> instance.streams().status("leaf")).isInstanceOf(StreamGone.class);
                assertThat(texts(instance, "late"))
                        .containsExactly("block 1", "block 2", "base", "mid", "block 3", "leaf", "late");
                endAll(instance, "late");
            } else {
                endAll(instance, "leaf");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "BEFORE_CASCADE_COMMIT",
                "AFTER_CASCADE_COMMIT",
                "BEFORE_CASCADE_PURGE_COMMIT",
                "AFTER_CASCADE_PURGE_COMMIT"
            })
    void the_end_of_the_last_fork_ends_the_whole_chain_or_nothing(Point point) {
        killAt(point);
        try (Instance instance = new Instance(folder)) {
            if (point == Point.BEFORE_CASCADE_COMMIT) {
                assertThatThrownBy(() -> instance.streams().status("base")).isInstanceOf(StreamGone.class);
                assertThatThrownBy(() -> instance.streams().status("mid")).isInstanceOf(StreamGone.class);
                assertThat(texts(instance, "leaf"))
                        .containsExactly("block 1", "block 2", "base", "mid", "block 3", "leaf");
                endAll(instance, "leaf");
            } else {
                assertThat(instance.streams().status("leaf")).isEmpty();
                assertNothingIsLeft(instance);
            }
        }
    }
}
