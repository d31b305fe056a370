package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that a restart takes out of the log are read, appended to and sealed like any others (EXACT-PREFIX). */
final class RecoveryTest {

    private static final int CHUNK_BYTES = 1_000;

    @TempDir
    Path folder;

    private static void append(StreamWriter writer, int from, int count) {
        List<byte[]> chunks = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            chunks.add(payload(writer.name(), i, i % 10 == 3 ? 0 : CHUNK_BYTES + i));
        }
        writer.append(AppendRequest.of(chunks));
    }

    private static void assertHolds(Streams streams, String name, int count) {
        for (int from : new int[] {0, 1, count / 2, count - 1}) {
            List<Chunk> read = Reading.all(streams, name, from, 10_000);
            assertThat(read).hasSize(count - from);
            for (Chunk chunk : read) {
                int i = (int) chunk.seq();
                assertThat(chunk.toByteArray()).isEqualTo(payload(name, i, i % 10 == 3 ? 0 : CHUNK_BYTES + i));
            }
        }
    }

    @Test
    void a_log_that_is_longer_than_recovery_gathers_at_once_is_handed_out_in_order() {
        int streams = 120;
        int rounds = 25;
        int chunksPerRound = 8;
        try (Instance instance = new Instance(folder)) {
            for (int round = 0; round < rounds; round++) {
                for (int s = 0; s < streams; s++) {
                    append(instance.streams().open("s" + s), round * chunksPerRound, chunksPerRound);
                }
            }
            assertThat(instance.engine().upkeep().journalBytes()).isGreaterThan(20 << 20);

            instance.restart();

            for (int s = 0; s < streams; s++) {
                assertHolds(instance.streams(), "s" + s, rounds * chunksPerRound);
            }
        }
    }

    @Test
    void what_a_restart_took_from_the_log_grows_and_is_sealed_with_what_came_later() {
        try (Instance instance = new Instance(folder)) {
            append(instance.streams().open("s"), 0, 50);
            instance.restart();
            append(instance.streams().open("s"), 50, 50);
            assertHolds(instance.streams(), "s", 100);
            instance.restart();
            try (StreamReader early = instance.streams().tail("s", 0)) {
                append(instance.streams().open("s"), 100, 200); // beyond a block: it is cut inside this append
                instance.settleDown();
                assertHolds(instance.streams(), "s", 300);
                assertThat(Reading.rest(early, 10_000)).hasSize(300);
            }
            instance.restart();
            assertHolds(instance.streams(), "s", 300);
            instance.streams().open("s").settle(Settlement.completed());
            instance.settleDown();
            assertThat(instance.engine().upkeep().openBytes()).isZero();
            assertHolds(instance.streams(), "s", 300);
        }
    }

    @Test
    void a_log_with_the_appends_of_deleted_streams_gives_the_others_theirs() {
        try (Instance instance = new Instance(folder)) {
            for (int i = 0; i < 20; i++) {
                append(instance.streams().open("kept"), 10 * i, 10);
                append(instance.streams().open("gone " + i), 0, 10);
                instance.streams()
                        .open("gone " + i)
                        .settle(Settlement.completed().discard());
            }
            instance.restart();
            assertHolds(instance.streams(), "kept", 200);
            assertThat(instance.streams().status("gone 7")).isEmpty();
        }
    }
}
