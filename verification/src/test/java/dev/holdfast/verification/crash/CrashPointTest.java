package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.session.Message;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.TurnState;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process killed exactly at each step of a write, and what the next one finds. */
final class CrashPointTest {

    @TempDir
    static Path scratch;

    @TempDir
    Path folder;

    /** Runs a child up to the point, kills it there, and returns how many chunks of its stream were acknowledged. */
    private long killAt(Point point) {
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(scratch, PointMain.class, folder.toString(), point.name())) {
            child.readUntil(line -> line.startsWith("AT ") || line.startsWith("MISSED"), lines::add);
            child.kill(lines::add);
        }
        assertThat(lines).contains("AT " + point);
        return lines.stream().filter(line -> line.startsWith("ACK")).count();
    }

    private Instance reopen() {
        return new Instance(folder, Setup.defaults().withStreams(PointMain.LIMITS));
    }

    /**
     * What the kill left of the stream's first chunk.
     *
     * @param inBlock it is sealed
     * @param inLog the log still has it
     */
    private record OnDisk(boolean inBlock, boolean inLog) {}

    /** Looks before any upkeep could change it. */
    private OnDisk onDisk() {
        AtomicBoolean inLog = new AtomicBoolean();
        try (Store store = SqliteStore.open(folder, StoreSettings.defaults())) {
            long key = store.read(
                    reads -> reads.stream("default", "s").orElseThrow().key());
            store.recover(entry -> {
                if (entry.records().stream().anyMatch(append -> append.streamKey() == key && append.firstSeq() == 0)) {
                    inLog.set(true);
                }
            });
            return new OnDisk(store.read(reads -> reads.block(key, 0)).isPresent(), inLog.get());
        }
    }

    /** That the stream is exactly the first {@code count} chunks of what the child appended. */
    private static void assertPrefix(Instance instance, long count) {
        List<Chunk> read = Reading.all(instance.streams(), "s", 0, Reading.MAX_BYTES);
        assertThat(read).as("EXACT-PREFIX").hasSize((int) count);
        for (int i = 0; i < count; i++) {
            byte[] expected =
                    i < PointMain.BEFORE ? Reading.bytes("chunk " + i) : Reading.payload("s", i, PointMain.BIG_BYTES);
            assertThat(read.get(i).toByteArray()).isEqualTo(expected);
        }
        assertThat(instance.streams().open("s").append("goes on").firstSeq()).isEqualTo(count);
    }

    @Test
    void before_an_append_commits_its_chunk_is_absent_EXACT_PREFIX_S32() {
        assertThat(killAt(Point.BEFORE_APPEND_COMMIT)).isEqualTo(10);
        try (Instance instance = reopen()) {
            assertPrefix(instance, 10);
        }
    }

    @Test
    void right_after_an_append_commits_its_chunk_is_there_though_nobody_was_told_EXACT_PREFIX_S32() {
        assertThat(killAt(Point.AFTER_APPEND_COMMIT)).isEqualTo(10);
        try (Instance instance = reopen()) {
            List<Chunk> read = Reading.all(instance.streams(), "s", 0, Reading.MAX_BYTES);
            assertThat(read).hasSize(11);
            assertThat(read.getLast().text()).isEqualTo("chunk 10");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_SEAL_COMMIT", "AFTER_SEAL_COMMIT", "BEFORE_TRIM_COMMIT", "AFTER_TRIM_COMMIT"})
    void sealing_a_block_and_trimming_the_log_lose_and_repeat_nothing_S32(Point point) {
        long acknowledged = killAt(point);
        assertThat(onDisk()).isEqualTo(new OnDisk(point != Point.BEFORE_SEAL_COMMIT, point != Point.AFTER_TRIM_COMMIT));
        try (Instance instance = reopen()) {
            long tail = instance.streams().status("s").orElseThrow().tail();
            // the chunk whose commit stands still may be in the same transaction as the upkeep
            assertThat(tail).isBetween(acknowledged, acknowledged + 1);
            assertPrefix(instance, tail);
            instance.settleDown();
            instance.restart();
            List<Chunk> again = Reading.all(instance.streams(), "s", 0, Reading.MAX_BYTES);
            assertThat(again).hasSize((int) tail + 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INSIDE_CUTOVER", "BEFORE_CUTOVER_COMMIT"})
    void inside_the_cutover_the_stream_is_live_with_its_prefix_and_there_is_no_message_NEVER_BOTH_S32(Point point) {
        killAt(point);
        try (Instance instance = reopen()) {
            assertThat(AppTable.messages(folder)).isEmpty();
            assertThat(instance.streams().status("s").orElseThrow().state()).isEqualTo(StreamState.LIVE);
            assertPrefix(instance, 10);
        }
    }

    @Test
    void right_after_the_cutover_the_message_is_there_once_and_the_stream_is_gone_NEVER_BOTH_S32() {
        killAt(Point.AFTER_CUTOVER_COMMIT);
        try (Instance instance = reopen()) {
            assertThat(AppTable.messages(folder)).hasSize(1).containsEntry("s", 10L);
            assertThat(instance.streams().status("s")).isEmpty();
            assertThat(instance.streams().open("s").append("new").firstSeq()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AFTER_KEPT_SETTLE_COMMIT", "AFTER_STORED_ELSEWHERE"})
    void an_answer_on_its_way_elsewhere_is_still_here_to_be_stored_again_and_then_reclaimed(Point point) {
        killAt(point);
        assertThat(Files.exists(folder.resolve(PointMain.ELSEWHERE))).isEqualTo(point == Point.AFTER_STORED_ELSEWHERE);
        try (Instance instance = reopen()) {
            StreamListing settled = StreamListing.all().tagged(PointMain.TAG).in(Set.of(StreamState.COMPLETED));
            assertThat(instance.streams().list(settled))
                    .singleElement()
                    .satisfies(status -> assertThat(status.tail()).isEqualTo(10));
            assertThat(Reading.all(instance.streams(), "s", 0, Reading.MAX_BYTES))
                    .hasSize(10);
            assertThat(instance.streams().reclaim(PointMain.TAG, Streams.ABANDONED_AFTER))
                    .isEqualTo(1);
            assertThat(instance.streams().status("s")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_CREATE_COMMIT", "AFTER_CREATE_COMMIT"})
    void a_stream_exists_from_its_commit_on_S32(Point point) {
        killAt(point);
        try (Instance instance = reopen()) {
            Optional<StreamStatus> created = instance.streams().status("created");
            assertThat(created.isPresent()).isEqualTo(point == Point.AFTER_CREATE_COMMIT);
            assertThat(instance.streams().open("created").append("x").firstSeq())
                    .isZero();
            assertPrefix(instance, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_PURGE_COMMIT", "AFTER_PURGE_COMMIT"})
    void a_deletion_that_was_told_stays_one_and_is_finished_by_the_next_process_S32(Point point) {
        killAt(point);
        try (Instance instance = reopen()) {
            assertThat(instance.streams().status("blocks")).isEmpty();
            instance.settleDown();
            List<Long> left = instance.store().read(reads -> reads.discardedStreams(10));
            assertThat(left).isEmpty();
            assertPrefix(instance, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVERING", "RECOVERED"})
    void a_process_killed_while_it_recovers_changes_nothing_for_the_next_one_S32(Point point) {
        killAt(Point.BEFORE_APPEND_COMMIT);
        for (int i = 0; i < 2; i++) {
            killAt(point);
        }
        try (Instance instance = reopen()) {
            assertPrefix(instance, 10);
        }
    }

    private static Optional<TurnRow> turn(Instance instance) {
        long session = session(instance);
        return instance.store().read(reads -> reads.turn(session, PointMain.TURN));
    }

    private static long session(Instance instance) {
        return instance.store()
                .read(reads -> reads.session("default", PointMain.SESSION).orElseThrow())
                .key();
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_TURN_START_COMMIT", "AFTER_TURN_START_COMMIT"})
    @Tag("row-1")
    void a_turn_exists_with_its_question_and_its_stream_or_not_at_all_S32(Point point) throws Exception {
        killAt(point);
        boolean started = point == Point.AFTER_TURN_START_COMMIT;
        try (Instance instance = reopen()) {
            long session = session(instance);
            Optional<TurnRow> turn = turn(instance);
            Optional<MessageRow> question = instance.store().read(reads -> reads.message(session, "question"));
            assertThat(turn.isPresent()).isEqualTo(started);
            assertThat(question.isPresent()).isEqualTo(started);
        }
        if (started) {
            assertAnsweredOnce(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_TURN_END_COMMIT", "AFTER_TURN_END_COMMIT"})
    void a_turn_is_live_with_its_stream_or_ended_with_its_message_and_ends_with_it_once_in_any_case_NEVER_BOTH_S32(
            Point point) throws Exception {
        killAt(point);
        boolean ended = point == Point.AFTER_TURN_END_COMMIT;
        try (Instance instance = reopen()) {
            long session = session(instance);
            TurnRow turn = turn(instance).orElseThrow();
            Optional<MessageRow> answer = instance.store().read(reads -> reads.message(session, PointMain.ANSWER));
            Optional<StreamRow> stream = instance.store().read(reads -> reads.stream(turn.streamKey()));
            assertThat(turn.state().isOutcome()).isEqualTo(ended);
            assertThat(answer.isPresent()).isEqualTo(ended);
            assertThat(stream.isPresent()).isEqualTo(!ended);
        }
        assertAnsweredOnce(1);
    }

    /** Opens with the agent, which takes the turn up if it is live. */
    private void assertAnsweredOnce(int messages) throws Exception {
        try (Holdfast holdfast = Holdfast.open(folder, PointMain.settings())) {
            assertThat(holdfast.turns()
                            .start(PointMain.SESSION, PointMain.request(messages == 2))
                            .await()
                            .state())
                    .isEqualTo(TurnState.COMPLETED);
            Message answer = holdfast.sessions()
                    .get(PointMain.SESSION)
                    .message(PointMain.ANSWER)
                    .orElseThrow();
            assertThat(answer.text()).isEqualTo(PointMain.ANSWER_TEXT);
        }
        try (Instance instance = reopen()) {
            long session = session(instance);
            long count = instance.store().read(reads -> reads.messageCount(session));
            assertThat(count).isEqualTo(messages);
        }
    }
}
