package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Committer;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a full store, what frees space gets through, with the room that is kept back for it. */
final class FullStoreTest {

    private static final int SMALL_STORE_BYTES = 12 << 20;

    @TempDir
    Path folder;

    private final FullDisk disk = new FullDisk();

    /** Has no room for any commit but one that may use what is kept back. */
    private static final class FullDisk implements StoreTap.Observer {
        private volatile boolean full;
        private boolean mayUseReserve;

        @Override
        public void before(String verb, List<String> earlier) {
            switch (verb) {
                case "begin" -> mayUseReserve = false;
                case "beginFreeing" -> mayUseReserve = true;
                case "commit" -> {
                    if (full && !mayUseReserve) {
                        throw new StoreFull("injected: no room", new IOException("injected"));
                    }
                }
                default -> {}
            }
        }
    }

    @Test
    void streams_are_deleted_trimmed_reclaimed_and_discarded_while_nothing_else_is_written() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(disk))) {
            Streams streams = instance.streams();
            StreamWriter kept = streams.open("kept");
            kept.appendAll(chunks("a", "b", "c"));
            StreamWriter discarded = streams.open("discarded");
            streams.open("deleted").append("x");
            streams.open("abandoned", StreamOptions.DEFAULTS.withTag("old"));
            instance.clock().advance(Duration.ofHours(2));
            disk.full = true;

            assertThatThrownBy(() -> kept.append("no room")).isInstanceOf(StoreFull.class);
            assertThat(streams.trim("kept", 1)).isEqualTo(1);
            assertThat(streams.delete("deleted")).isTrue();
            assertThat(streams.reclaim("old", Streams.ABANDONED_AFTER)).isEqualTo(1);
            assertThat(discarded.settle(Settlement.completed().discard()).settled())
                    .isTrue();
            assertThatThrownBy(
                            () -> kept.settle(Settlement.completed().discard().commit(AppTable.message("s", 1))))
                    .isInstanceOf(StoreFull.class);
            assertThatThrownBy(() -> kept.append("still no room")).isInstanceOf(StoreFull.class);

            instance.restart();
            assertThat(instance.streams().read("kept", 1, 100).chunks()).hasSize(2);
            assertThat(instance.streams().status("deleted")).isEmpty();
            assertThat(instance.streams().status("discarded")).isEmpty();
            assertThat(instance.streams().status("abandoned")).isEmpty();
        }
    }

    @Test
    void a_deletion_gets_through_though_it_shares_its_batch_with_appends_that_do_not() {
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(disk))) {
            StreamWriter writer = instance.streams().open("s");
            instance.streams().open("deleted");
            CountDownLatch batch = instance.hold();
            CompletableFuture<?> append = writer.appendAsync(AppendRequest.of(chunks("x")));
            disk.full = true;
            long queued = instance.committer().queuedBytes();
            CompletableFuture<Boolean> deletion =
                    CompletableFuture.supplyAsync(() -> instance.streams().delete("deleted"));
            await().until(() -> instance.committer().queuedBytes() > queued);
            batch.countDown();

            assertThat(deletion.join()).isTrue();
            assertThatThrownBy(append::join).hasCauseInstanceOf(StoreFull.class);
        }
    }

    @Test
    void what_was_deleted_is_freed_though_there_is_always_an_append_that_waits() {
        AppendsWithoutPause appends = new AppendsWithoutPause(disk);
        try (Instance instance = new Instance(folder, Setup.defaults().withObserver(appends))) {
            StreamWriter writer = instance.streams().open("s");
            instance.streams().open("deleted").append(new byte[StreamLimits.MAX_BLOCK_BYTES]);
            instance.settleDown();
            long key = instance.store()
                    .read(reads -> reads.stream(Holdfast.DEFAULT_TENANT, "deleted"))
                    .orElseThrow()
                    .key();
            assertThat(blocks(instance, key)).as("sealed").isOne();

            disk.full = true;
            appends.begin(instance.committer(), writer);
            assertThat(instance.streams().delete("deleted")).isTrue();
            await().until(() -> blocks(instance, key) == 0);
            appends.end();

            assertThat(writer.tail().seq()).as("no append had room").isZero();
        }
    }

    private static int blocks(Instance instance, long key) {
        return instance.store().read(reads -> reads.blocks(key, 0, 10).size());
    }

    /** Sees to it that at each commit a next append waits already. */
    private static final class AppendsWithoutPause implements StoreTap.Observer {
        private final FullDisk disk;
        private @Nullable Committer committer;
        private volatile @Nullable StreamWriter writer;

        AppendsWithoutPause(FullDisk disk) {
            this.disk = disk;
        }

        void begin(Committer of, StreamWriter by) {
            committer = of;
            writer = by;
            append(by);
        }

        void end() {
            writer = null;
        }

        private static void append(StreamWriter by) {
            try {
                CompletableFuture<?> unused = by.appendAsync(AppendRequest.of(chunks("x")));
            } catch (Closed e) {
                // the test is over
            }
        }

        @Override
        public void before(String verb, List<String> earlier) {
            StreamWriter by = writer;
            if (by != null && verb.equals("commit") && queueIsEmpty()) {
                CompletableFuture.runAsync(() -> append(by)).join(); // the committer's own thread may not
            }
            disk.before(verb, earlier);
        }

        private boolean queueIsEmpty() {
            return committer != null && committer.queuedBytes() == 0;
        }
    }

    @Test
    void turns_are_stopped_and_sessions_and_messages_deleted() {
        CountDownLatch running = new CountDownLatch(1);
        HoldfastSettings settings = HoldfastSettings.defaults()
                .withTurns(TurnSettings.defaults().withAgent("waits", turn -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return AgentResult.completed();
                }));
        try (Holdfast holdfast =
                Holdfast.open(new StoreTap(SqliteStore.open(folder, StoreSettings.defaults()), disk), settings)) {
            Session session = holdfast.sessions().create("s");
            session.append(MessageDraft.of("m1", "user", "one"));
            session.append(MessageDraft.of("m2", "user", "two"));
            holdfast.sessions().create("other");
            TurnHandle runs = holdfast.turns().start("s", TurnRequest.of("runs", "waits"));
            TurnHandle waits = holdfast.turns().start("s", TurnRequest.of("waits", "waits"));
            Instance.await(running);
            disk.full = true;

            assertThatThrownBy(() -> session.append(MessageDraft.of("m3", "user", "three")))
                    .isInstanceOf(StoreFull.class);
            assertThat(holdfast.turns().stop("s", "runs", null).accepted()).isTrue();
            assertThat(holdfast.turns().clearQueue("s", null)).isEqualTo(1);
            assertThat(waits.status().state()).isIn(TurnState.ACCEPTED, TurnState.STOPPED);
            assertThat(session.delete("m2")).isTrue();
            assertThat(holdfast.sessions().delete("other")).isTrue();
            assertThat(holdfast.turns().status("s", "waits").orElseThrow().state())
                    .isEqualTo(TurnState.STOPPED);

            disk.full = false;
            assertThat(runs.await().state()).isEqualTo(TurnState.STOPPED);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void with_the_reserve_spent_nothing_else_is_written_until_it_is_there_again() {
        try (Instance instance = new Instance(folder, Setup.defaults().withMaxStoreBytes(SMALL_STORE_BYTES))) {
            Streams streams = instance.streams();
            StreamWriter filler = streams.open("filler");
            fill(filler);
            instance.settleDown();
            assertThat(instance.committer().execute(new FindsNoRoomAtFirst())).isTrue();

            assertThatThrownBy(() -> streams.open("new")).isInstanceOf(StoreFull.class);
            assertThat(allTexts(streams, "filler")).as("reads go on").isNotEmpty();
            instance.clock().advance(Duration.ofMinutes(1));
            assertThatThrownBy(() -> filler.append(new byte[64 << 10]))
                    .as("there is no room for the reserve yet")
                    .isInstanceOf(StoreFull.class);

            assertThat(streams.delete("filler")).isTrue();
            for (int i = 0; i < 5; i++) {
                instance.clock().advance(Duration.ofSeconds(2));
                instance.settleDown();
            }
            streams.open("new").append(new byte[64 << 10]);
        }
    }

    /** As a deletion on a disk that others filled. */
    private static final class FindsNoRoomAtFirst extends Command<Boolean> {
        private int tries;

        @Override
        protected boolean freesSpace() {
            return true;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            if (++tries == 1) {
                throw new StoreFull("injected: no room", new IOException("injected"));
            }
            return scope.reads().stream(1).isPresent();
        }
    }

    private static void fill(StreamWriter writer) {
        for (int size = 64 << 10; size > 0; size /= 4) {
            byte[] chunk = new byte[size];
            assertThatThrownBy(() -> {
                        while (true) {
                            writer.append(chunk);
                        }
                    })
                    .isInstanceOf(StoreFull.class);
        }
    }
}
