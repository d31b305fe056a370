package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.FileStamps;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.VerbCount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each operation costs the disk, and that nothing costs nothing (IDLE-IS-SILENT). */
final class IdleTest {

    /** One page and its header in SQLite's write-ahead log. */
    private static final long FRAME_BYTES = 4096 + 24;

    @TempDir
    Path folder;

    private final VerbCount count = new VerbCount();
    private Instance instance;
    private Streams streams;

    @BeforeEach
    void open() {
        instance = new Instance(folder, Setup.defaults().withObserver(count));
        streams = instance.streams();
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private Map<String, Integer> costs() {
        instance.settleDown();
        return count.take();
    }

    private long walBytes() {
        try {
            return Files.size(folder.resolve("holdfast.db-wal"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void an_idle_instance_writes_nothing_and_sets_no_timer_IDLE_IS_SILENT() throws Exception {
        StreamWriter live = streams.open("live");
        live.append("unsealed");
        streams.open("settled").settle(Settlement.completed().append(chunks("x")));
        streams.open("discarded").settle(Settlement.completed().discard());
        StreamReader reader = streams.tail("live", 1);
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor();
        Future<ReadBatch> waiting = thread.submit(() -> reader.next(100));
        instance.settleDown();

        Map<String, String> files = FileStamps.of(folder);
        long commits = instance.committer().commits();
        long timers = instance.clock().timersMade();
        assertThat(instance.clock().pending()).isZero();
        for (int day = 0; day < 30; day++) {
            instance.clock().advance(Duration.ofDays(1));
            instance.committer().nudge();
            instance.barrier();
        }

        assertThat(FileStamps.of(folder)).isEqualTo(files);
        assertThat(instance.committer().commits()).isEqualTo(commits);
        assertThat(instance.clock().timersMade()).isEqualTo(timers);
        assertThat(waiting).isNotDone();
        live.append("wakes the reader");
        assertThat(waiting.get().chunks()).hasSize(1);
        reader.close();
        thread.shutdownNow();
    }

    @Test
    void reading_looking_and_refusing_write_nothing() {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        costs();
        long commits = instance.committer().commits();

        streams.read("s", 0, 100);
        streams.status("s");
        streams.status("none");
        streams.list(StreamListing.all());
        streams.open("s");
        try (StreamReader reader = streams.tail("s", 0)) {
            reader.read(100);
        }
        assertThat(streams.delete("none")).isFalse();
        assertThat(writer.checkpoint("none")).isEmpty();

        assertThat(costs()).isEmpty();
        assertThat(instance.committer().commits()).isEqualTo(commits);
    }

    @Test
    @Tag("S47")
    void each_operation_writes_the_fewest_rows_there_can_be_S24() {
        streams.open("first");
        costs();

        StreamWriter writer = streams.open("s");
        assertThat(costs()).isEqualTo(Map.of("insertStream", 1, "commit", 1));
        writer.append("a");
        assertThat(costs()).isEqualTo(Map.of("append", 1, "commit", 1));
        writer.appendAll(chunks("b", "c", "d"));
        assertThat(costs()).isEqualTo(Map.of("append", 1, "commit", 1));
        writer.settle(Settlement.completed().append(chunks("e")).discard());
        assertThat(costs())
                .as("a short turn never writes a block")
                .isEqualTo(Map.of("append", 1, "purgeProperties", 1, "deleteStream", 1, "commit", 1));

        StreamWriter kept = streams.open("kept");
        kept.append("a");
        costs();
        kept.settle(Settlement.completed());
        assertThat(costs())
                .as("a kept stream is sealed, so that it holds no log back")
                .isEqualTo(Map.of("updateStream", 2, "insertBlock", 1, "commit", 2));
        streams.delete("kept");
        assertThat(costs())
                .as("a tombstone, then the blocks and the row")
                .isEqualTo(Map.of(
                        "purgeProperties", 2, "updateStream", 1, "deleteBlocks", 1, "deleteStream", 1, "commit", 2));
    }

    @Test
    void all_streams_of_a_moment_share_one_commit() throws Exception {
        List<StreamWriter> writers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            writers.add(streams.open("s" + i));
        }
        costs();
        CountDownLatch release = instance.hold();
        List<CompletableFuture<AppendResult>> all = new ArrayList<>();
        for (StreamWriter writer : writers) {
            all.add(writer.appendAsync(AppendRequest.of(List.of(new byte[200]))));
        }
        release.countDown();
        for (CompletableFuture<AppendResult> each : all) {
            each.get();
        }
        assertThat(costs()).isEqualTo(Map.of("append", 50, "commit", 1));
    }

    @Test
    void the_bytes_written_for_appends_are_about_the_bytes_appended() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.append(new byte[200]);
        instance.settleDown();
        long before = walBytes();
        int commits = 100;
        for (int i = 0; i < commits; i++) {
            writer.append(new byte[200]);
        }
        long alone = (walBytes() - before) / FRAME_BYTES;
        assertThat(alone).as("frames for %d commits of 200 bytes", commits).isBetween(100L, 112L);

        before = walBytes();
        CountDownLatch release = instance.hold();
        List<CompletableFuture<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(writer.appendAsync(AppendRequest.of(List.of(new byte[200]))));
        }
        release.countDown();
        for (CompletableFuture<AppendResult> each : all) {
            each.get();
        }
        long grouped = walBytes() - before;
        assertThat(grouped).as("200,000 bytes in one commit").isLessThan(230_000);
    }

    @Test
    @Tag("S47")
    void a_full_block_is_sealed_with_one_row_and_the_log_is_released_in_steps_S24() {
        StreamWriter writer = streams.open("s");
        costs();
        int blocks = 24;
        int perBlock = 4;
        for (int i = 0; i < blocks * perBlock; i++) {
            writer.append(new byte[StreamLimits.MAX_BLOCK_BYTES / perBlock]);
            instance.settleDown();
        }
        Map<String, Integer> costs = costs();
        assertThat(costs).containsEntry("append", blocks * perBlock).containsEntry("insertBlock", blocks);
        assertThat(costs.get("releaseLog")).isEqualTo(1);
        assertThat(costs.get("updateStream")).isEqualTo(blocks);
        assertThat(costs.get("commit")).isLessThanOrEqualTo(blocks * perBlock + blocks + 1);
        assertThat(instance.engine().upkeep().releasedTo()).isPositive();
    }
}
