package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.bytes;
import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendRequest.Checkpoint;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Inspection.Twins;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures whose fate is known roll back their own group and leave memory equal to a fresh rebuild (FAIL-STOP, second half). */
final class RollbackTest {

    @TempDir
    Path folder;

    private final Fault fault = new Fault();
    private Instance instance;
    private Streams streams;
    private ExecutorService threads;

    @BeforeEach
    void open() {
        instance = new Instance(folder, Setup.defaults().withObserver(fault));
        streams = instance.streams();
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void close() {
        fault.disarm();
        instance.close();
        threads.shutdownNow();
    }

    enum Known {
        FAILED,
        FULL,
        BUSY;

        HoldfastException error() {
            IOException cause = new IOException("injected");
            return switch (this) {
                case FAILED -> new StoreFailed("injected", cause);
                case FULL -> new StoreFull("injected", cause);
                case BUSY -> new StoreBusy("injected", cause);
            };
        }
    }

    /** Something of everything, so that each failure meets staged state of each kind. */
    private void populate() {
        StreamWriter live = streams.open("live");
        live.appendAll(chunks("a", "b"));
        live.append(AppendRequest.of(chunks("c")).from(new Producer("p", 1, 0)));
        live.append(AppendRequest.of(chunks("d")).with(new Checkpoint("c", 5)));
        streams.open("to settle").append("x");
        streams.open("to discard").append("x");
        streams.open("to delete").append("x");
        streams.open("to take").append("x");
        streams.open("ordered").append(AppendRequest.of(chunks("x")).ordered("1"));
        streams.open("sliding", StreamOptions.DEFAULTS.withTag("tag").withTimeToLive(Duration.ofHours(1)))
                .append("x");
        streams.open("sliding empty", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofHours(1)));
        streams.open("kept", StreamOptions.DEFAULTS.withRetention(Retention.ofBytes(StreamLimits.MAX_BLOCK_BYTES)))
                .append("x");
        streams.open("errored").settle(Settlement.errored("why").append(chunks("x")));
        streams.open("empty", StreamOptions.DEFAULTS.withMetadata(bytes("about")));
        streams.open("empty fork source").settle(Settlement.completed().append(chunks("a", "b")));
        StreamWriter blocks = streams.open("blocks");
        for (int i = 0; i < 5; i++) {
            blocks.append(payload("blocks", i, StreamLimits.MAX_BLOCK_BYTES / 2));
            instance.settleDown();
        }
    }

    private void assertMemoryEqualsRebuild() {
        instance.settleDown();
        List<String> memory = instance.describe();
        instance.restart();
        streams = instance.streams();
        assertThat(instance.describe()).isEqualTo(memory);
    }

    private void assertLoadedStreamsEqualTheirRows() {
        List<Twins> twins = instance.twins();
        assertThat(twins).as("streams without open chunks").isNotEmpty();
        assertThat(twins).allSatisfy(twin -> assertThat(twin.inMemory()).isEqualTo(twin.loadedAnew()));
    }

    private List<Runnable> changes() {
        return List.of(
                () -> streams.open("live").append("e"),
                () -> streams.open("live").append(AppendRequest.of(chunks("f")).from(new Producer("p", 1, 1))),
                () -> streams.open("live").append(AppendRequest.of(List.of()).with(new Checkpoint("c", 9))),
                () -> streams.open("new").append("x"),
                () -> streams.settle("to settle", Settlement.completed().append(chunks("last"))),
                () -> streams.settle("to discard", Settlement.completed().discard()),
                () -> streams.delete("to delete"),
                () -> streams.takeOver("to take", StreamOptions.DEFAULTS),
                () -> streams.trim("live", 2),
                () -> streams.create(
                        "created",
                        StreamCreation.of(StreamOptions.DEFAULTS.withTag("tag").withTimeToLive(Duration.ofHours(1)))
                                .with(chunks("first"))),
                () -> streams.create(
                        "forked", StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of("live"))),
                () -> streams.create(
                        "forked empty",
                        StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of("empty fork source"))),
                () -> streams.append("ordered", AppendRequest.of(chunks("y")).ordered("2")),
                () -> streams.append("sliding", AppendRequest.of(chunks("y"))),
                () -> streams.append(
                        "empty",
                        AppendRequest.of(List.of())
                                .from(new Producer("p", 1, 0))
                                .settling()),
                () -> streams.settle("kept", Settlement.errored("broken")),
                () -> streams.delete("blocks"));
    }

    @ParameterizedTest
    @EnumSource(Known.class)
    void a_failed_commit_of_any_change_is_told_and_leaves_memory_equal_to_a_rebuild(Known known) {
        populate();
        assertMemoryEqualsRebuild();
        List<String> before = instance.describe();
        for (int i = 0; i < changes().size(); i++) {
            fault.arm("commit", When.BEFORE, 0, known::error);
            Runnable change = changes().get(i);
            assertThatThrownBy(change::run)
                    .as("change %d", i)
                    .isInstanceOf(known.error().getClass());
            fault.disarm();
            assertThat(instance.describe()).as("after change %d", i).isEqualTo(before);
            assertLoadedStreamsEqualTheirRows();
            assertThat(streams.status("new")).isEmpty();
        }
        assertMemoryEqualsRebuild();

        for (Runnable change : changes()) {
            change.run(); // everything works again by itself
        }
        assertMemoryEqualsRebuild();
        assertThat(allTexts(streams, "to settle")).containsExactly("x", "last");
        assertThat(streams.status("to delete")).isEmpty();
    }

    @Test
    void every_loaded_stream_equals_its_row_on_disk() {
        populate();
        assertLoadedStreamsEqualTheirRows();
        for (Runnable change : changes()) {
            change.run();
            assertLoadedStreamsEqualTheirRows();
            instance.clock().advance(Duration.ofMinutes(3));
            streams.touch("sliding empty");
            instance.clock().advance(Duration.ofMillis(1)); // what is written by and by is due
            instance.settleDown();
            assertLoadedStreamsEqualTheirRows();
        }
        assertThat(instance.twins()).extracting(Twins::inMemory).anyMatch(stream -> stream.contains("/sliding empty#"));
    }

    @Test
    void a_failure_inside_one_command_rolls_back_that_command_and_spares_the_others_of_its_batch() throws Exception {
        populate();
        StreamWriter live = streams.open("live");
        CountDownLatch release = instance.hold();
        fault.arm("updateStream", When.AFTER, 0, Known.FAILED::error);
        CompletableFuture<AppendResult> before = live.appendAsync(AppendRequest.of(chunks("before")));
        Future<?> settle = threads.submit(
                () -> streams.settle("to settle", Settlement.completed().append(chunks("z"))));
        CompletableFuture<AppendResult> after = live.appendAsync(AppendRequest.of(chunks("after")));
        release.countDown();

        assertThat(before.get().firstSeq()).isEqualTo(4);
        assertThat(after.get().firstSeq()).isEqualTo(5);
        assertThatThrownBy(settle::get).hasCauseInstanceOf(StoreFailed.class);
        fault.disarm();
        assertThat(streams.status("to settle").orElseThrow().state()).isEqualTo(StreamState.LIVE);
        assertThat(allTexts(streams, "live")).containsExactly("a", "b", "c", "d", "before", "after");
        assertMemoryEqualsRebuild();
    }

    @Test
    void a_failed_seal_changes_nothing_and_is_tried_again_later_not_at_once() {
        StreamWriter writer = streams.open("s");
        fault.arm("insertBlock", When.AFTER, 0, Known.FULL::error);
        writer.append(payload("s", 0, StreamLimits.MAX_BLOCK_BYTES));
        instance.settleDown();
        int tries = fault.seen();
        assertThat(tries).isPositive();
        for (int i = 0; i < 20; i++) {
            writer.append("goes on " + i);
            instance.barrier();
        }
        assertThat(fault.seen()).isEqualTo(tries);

        fault.disarm();
        instance.clock().advance(Duration.ofMinutes(1));
        instance.settleDown();

        boolean sealed = instance.store()
                .read(reads -> reads.stream("default", "s").orElseThrow().sealedTo() > 0);
        assertThat(sealed).isTrue();
        assertThat(allTexts(streams, "s")).hasSize(21);
        assertMemoryEqualsRebuild();
    }

    @Test
    void a_cutover_whose_commit_fails_leaves_the_stream_live_without_its_message_and_succeeds_later_NEVER_BOTH() {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        Settlement cutover = Settlement.completed().discard().commit(AppTable.message("s", 1));

        fault.arm("commit", When.BEFORE, 0, Known.FULL::error);
        assertThatThrownBy(() -> writer.settle(cutover)).isInstanceOf(StoreFull.class);
        fault.disarm();
        assertThat(streams.status("s").orElseThrow().state()).isEqualTo(StreamState.LIVE);
        assertThat(AppTable.messages(folder)).isEmpty();

        assertThat(writer.settle(cutover).settled()).isTrue();
        assertThat(streams.status("s")).isEmpty();
        assertThat(AppTable.messages(folder)).containsEntry("s", 1L);
    }

    @Test
    void a_throwing_callback_beside_a_busy_stream_leaves_memory_equal_to_a_rebuild() throws Exception {
        populate();
        List<CompletableFuture<AppendResult>> appends = new ArrayList<>();
        StreamWriter live = streams.open("live");
        StreamWriter victim = streams.open("to settle");
        for (int i = 0; i < 50; i++) {
            appends.add(live.appendAsync(AppendRequest.of(chunks("n" + i))));
            assertThatThrownBy(() -> victim.settle(
                            Settlement.completed().append(chunks("never")).commit(handle -> {
                                AppTable.write(handle, "never", 1);
                                throw new IllegalStateException("injected");
                            })))
                    .isInstanceOf(CallbackFailed.class);
        }
        for (CompletableFuture<AppendResult> each : appends) {
            each.get();
        }
        assertThat(AppTable.messages(folder)).isEmpty();
        assertThat(allTexts(streams, "to settle")).containsExactly("x");
        assertMemoryEqualsRebuild();
    }
}
