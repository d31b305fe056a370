package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.bytes;
import static dev.holdfast.verification.rig.Reading.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log and the memory of unsealed chunks stay within their limits, and nothing is lost by it (BOUNDED). */
final class EarlySealTest {

    private static final long MIB = 1L << 20;

    @TempDir
    Path folder;

    private static Setup limits(long journalBytes, long openBytes) {
        return Setup.defaults()
                .withStreams(StreamLimits.defaults()
                        .withMaxJournalBytes(journalBytes)
                        .withMaxOpenBytes(openBytes));
    }

    private static void assertBounded(Instance instance, long slack) {
        StreamLimits limits = instance.engine().limits();
        instance.barrier();
        assertThat(instance.engine().upkeep().journalBytes()).isLessThanOrEqualTo(limits.maxJournalBytes() + slack);
        assertThat(instance.engine().upkeep().openBytes()).isLessThanOrEqualTo(limits.maxOpenBytes() + slack);
    }

    private static List<StreamWriter> openAll(Streams streams, int count) throws Exception {
        List<StreamWriter> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<StreamWriter>> opening = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = "s" + i;
                opening.add(threads.submit(() -> streams.open(name)));
            }
            for (Future<StreamWriter> each : opening) {
                writers.add(each.get());
            }
        }
        return writers;
    }

    private static void appendRound(List<StreamWriter> writers, int round, int padding) throws Exception {
        List<CompletableFuture<AppendResult>> all = new ArrayList<>();
        for (StreamWriter writer : writers) {
            all.add(writer.appendAsync(
                    AppendRequest.of(List.of(bytes(writer.name() + ":" + round + " ".repeat(padding))))));
        }
        for (CompletableFuture<AppendResult> each : all) {
            assertThat(each.get().firstSeq()).isEqualTo(round);
        }
    }

    private static void assertAll(Streams streams, int count, int rounds) {
        for (int i = 0; i < count; i++) {
            List<Chunk> read = Reading.all(streams, "s" + i, 0, Reading.MAX_BYTES);
            assertThat(read).hasSize(rounds);
            for (int round = 0; round < rounds; round++) {
                assertThat(read.get(round).text().strip()).isEqualTo("s" + i + ":" + round);
            }
        }
    }

    @Test
    void ten_thousand_live_streams_stay_within_both_limits_and_all_are_there_after_a_restart() throws Exception {
        int count = 10_000;
        int rounds = 2;
        try (Instance instance = new Instance(folder, limits(2 * MIB, MIB))) {
            List<StreamWriter> writers = openAll(instance.streams(), count);
            for (int round = 0; round < rounds; round++) {
                appendRound(writers, round, 200);
                assertBounded(instance, count * 300L);
                instance.settleDown();
                assertBounded(instance, 0);
            }
            instance.restart();
            assertAll(instance.streams(), count, rounds);
            assertBounded(instance, 0);
        }
    }

    /** Streams in the order in which their blocks were written. */
    private List<Long> sealedStreams() throws SQLException {
        List<Long> keys = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT stream FROM holdfast_blocks ORDER BY id")) {
            while (rows.next()) {
                keys.add(rows.getLong(1));
            }
        }
        return keys;
    }

    @Test
    void old_streams_are_sealed_together_with_their_neighbours_so_that_they_share_pages() throws Exception {
        int count = 2_000;
        try (Instance instance = new Instance(folder, limits(256 * MIB, 4 * MIB))) {
            List<StreamWriter> writers = openAll(instance.streams(), count);
            Collections.shuffle(writers, new Random(7));
            for (StreamWriter writer : writers) {
                writer.append(
                        payload(writer.name(), 0, 8 << 10)); // alone in its commit, so that all are of different ages
            }
            instance.settleDown();
        }
        List<Long> sealed = sealedStreams();
        assertThat(sealed).doesNotHaveDuplicates().hasSizeGreaterThan(count / 2);
        long upwards = IntStream.range(1, sealed.size())
                .filter(i -> sealed.get(i) > sealed.get(i - 1))
                .count();
        assertThat(upwards).as("half of them would be chance").isGreaterThan(sealed.size() * 4L / 5);
    }

    @Test
    void a_slow_stream_among_fast_ones_does_not_hold_the_log_back() throws Exception {
        try (Instance instance = new Instance(folder, limits(2 * MIB, 128 * MIB))) {
            StreamWriter slow = instance.streams().open("slow");
            slow.append("early");
            StreamWriter fast = instance.streams().open("fast");
            int chunks = 200;
            for (int i = 0; i < chunks; i++) {
                fast.append(payload("fast", i, 64 << 10));
                if (i % 50 == 49) {
                    slow.append("slow " + i);
                }
                assertBounded(instance, 256 << 10);
            }
            instance.settleDown();
            assertBounded(instance, 0);
            assertThat(instance.engine().upkeep().releasedTo())
                    .as("the log was released behind the slow stream")
                    .isGreaterThan(chunks / 2);

            instance.restart();

            assertThat(Reading.allTexts(instance.streams(), "slow"))
                    .containsExactly("early", "slow 49", "slow 99", "slow 149", "slow 199");
            List<Chunk> read = Reading.all(instance.streams(), "fast", 0, Reading.MAX_BYTES);
            assertThat(read).hasSize(chunks);
            for (int i = 0; i < chunks; i++) {
                assertThat(read.get(i).toByteArray()).isEqualTo(payload("fast", i, 64 << 10));
            }
        }
    }

    @Test
    void
            a_reader_that_stands_still_neither_slows_the_writer_nor_holds_memory_and_catches_up_from_blocks_SLOW_READER_ALONE() {
        try (Instance instance = new Instance(folder)) {
            Streams streams = instance.streams();
            StreamWriter writer = streams.open("s");
            int chunks = 300;
            try (StreamReader still = streams.tail("s", 0)) {
                for (int i = 0; i < chunks; i++) {
                    writer.append(payload("s", i, 64 << 10));
                }
                instance.settleDown();
                assertThat(instance.engine().upkeep().openBytes())
                        .as("what is kept in memory of 19 MiB")
                        .isLessThan(StreamLimits.MAX_BLOCK_BYTES + (1 << 10));
                List<Chunk> read = Reading.rest(still, Integer.MAX_VALUE);
                assertThat(read).hasSize(chunks);
                for (int i = 0; i < chunks; i++) {
                    assertThat(read.get(i).toByteArray()).isEqualTo(payload("s", i, 64 << 10));
                }
            }
        }
    }
}
