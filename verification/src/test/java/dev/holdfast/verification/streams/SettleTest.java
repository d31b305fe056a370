package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.untilEnd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.SettleResult;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.AppTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ending a stream: one outcome, and the application's writes in the same transaction (ONE-OUTCOME, NEVER-BOTH). */
final class SettleTest extends StreamsFixture {

    private ExecutorService threads;

    @BeforeEach
    void openThreads() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void closeThreads() {
        threads.shutdownNow();
    }

    @Test
    void the_first_outcome_stays_and_a_later_one_is_told_so_S14() {
        StreamWriter writer = streams.open("s");
        writer.append("a");

        assertThat(writer.settle(Settlement.errored("first")))
                .isEqualTo(new SettleResult(true, StreamState.ERRORED, 1));
        assertThat(writer.settle(Settlement.completed())).isEqualTo(new SettleResult(false, StreamState.ERRORED, 1));
        assertThat(streams.settle("s", Settlement.completed()))
                .isEqualTo(new SettleResult(false, StreamState.ERRORED, 1));
        assertThat(streams.settle(
                        "s", Settlement.completed().append(chunks("late")).discard()))
                .isEqualTo(new SettleResult(false, StreamState.ERRORED, 1));
        StreamStatus status = streams.status("s").orElseThrow();
        assertThat(status.error()).isEqualTo("first");
        assertThat(allTexts(streams, "s")).containsExactly("a");
    }

    @Test
    void a_missing_stream_cannot_be_settled_and_live_is_no_outcome_S14() {
        assertThatThrownBy(() -> streams.settle("none", Settlement.completed())).isInstanceOf(StreamNotFound.class);
        StreamWriter writer = streams.open("s");
        assertThatThrownBy(() ->
                        writer.settle(new Settlement(StreamState.LIVE, null, Settlement.Fate.KEEP, List.of(), null)))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void of_many_settlements_that_race_exactly_one_wins_ONE_OUTCOME_S14() throws Exception {
        StreamWriter writer = streams.open("s");
        AtomicInteger callbacks = new AtomicInteger();
        List<Future<SettleResult>> all = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            String reason = "reason " + i;
            all.add(threads.submit(
                    () -> writer.settle(Settlement.errored(reason).commit(handle -> callbacks.incrementAndGet()))));
        }
        int won = 0;
        for (Future<SettleResult> each : all) {
            won += each.get().settled() ? 1 : 0;
        }
        assertThat(won).isEqualTo(1);
        assertThat(callbacks).hasValue(1);
    }

    @Test
    void an_append_and_a_settlement_in_one_batch_happen_in_their_order() throws Exception {
        StreamWriter writer = streams.open("s");
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> before = writer.appendAsync(AppendRequest.of(chunks("a")));
        Future<SettleResult> settle = threads.submit(() -> writer.settle(Settlement.completed()));
        release.countDown();

        assertThat(before.get().nextSeq()).isEqualTo(1);
        assertThat(settle.get()).isEqualTo(new SettleResult(true, StreamState.COMPLETED, 1));
    }

    @Test
    void the_cutover_commits_message_outcome_and_discard_together_and_a_waiting_reader_ends_S26() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b"));
        StreamReader reader = streams.tail("s", 0);
        Future<List<String>> reading = threads.submit(() -> untilEnd(reader));

        long commits = instance.commitsOf(() -> {
            SettleResult result = writer.settle(
                    Settlement.completed().append(chunks("c")).discard().commit(AppTable.message("s", 3)));
            assertThat(result).isEqualTo(new SettleResult(true, StreamState.COMPLETED, 3));
        });

        assertThat(commits).isEqualTo(1);
        assertThat(reading.get()).containsExactly("a", "b", "c");
        assertThat(AppTable.messages(folder)).isEqualTo(Map.of("s", 3L));
        assertThat(streams.status("s")).isEmpty();
        assertThatThrownBy(() -> streams.tail("s", 0)).isInstanceOf(StreamNotFound.class);
        reader.close();

        instance.restart();
        assertThat(instance.streams().status("s")).isEmpty();
        assertThat(AppTable.messages(folder)).isEqualTo(Map.of("s", 3L));
    }

    @Test
    @Tag("S49")
    void the_outcome_is_visible_to_no_one_before_its_commit_VISIBLE_IS_DURABLE_S26() {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        AtomicReference<StreamStatus> during = new AtomicReference<>();
        List<String> seen = new ArrayList<>();
        writer.settle(Settlement.completed().append(chunks("b")).commit(handle -> {
            during.set(streams.status("s").orElseThrow());
            seen.addAll(allTexts(streams, "s"));
            assertThat(AppTable.messages(folder)).isEmpty();
            AppTable.write(handle, "s", 2);
            assertThat(AppTable.messages(folder)).isEmpty();
        }));

        assertThat(during.get().state()).isEqualTo(StreamState.LIVE);
        assertThat(during.get().tail()).isEqualTo(1);
        assertThat(seen).containsExactly("a");
        assertThat(allTexts(streams, "s")).containsExactly("a", "b");
    }

    @Test
    void a_throwing_commit_rolls_everything_back_leaves_the_stream_live_and_can_be_repeated_S27() {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        List<String> memory = instance.describe();

        assertThatThrownBy(() -> writer.settle(
                        Settlement.completed().append(chunks("b")).discard().commit(handle -> {
                            AppTable.write(handle, "s", 2);
                            throw new IllegalStateException("the application changed its mind");
                        })))
                .isInstanceOf(CallbackFailed.class)
                .hasMessageContaining("changed its mind");

        assertThat(AppTable.messages(folder)).isEmpty();
        assertThat(instance.describe()).isEqualTo(memory);
        assertThat(streams.status("s").orElseThrow().state()).isEqualTo(StreamState.LIVE);
        assertThat(writer.append("c").firstSeq()).isEqualTo(1);
        assertThat(writer.settle(Settlement.completed().discard().commit(AppTable.message("s", 2)))
                        .settled())
                .isTrue();
        assertThat(AppTable.messages(folder)).isEqualTo(Map.of("s", 2L));
    }

    @Test
    void a_throwing_commit_touches_no_other_stream_of_the_same_moment_S27() throws Exception {
        StreamWriter failing = streams.open("failing");
        StreamWriter other = streams.open("other");
        CountDownLatch release = instance.hold();
        CompletableFuture<AppendResult> before = other.appendAsync(AppendRequest.of(chunks("before")));
        Future<SettleResult> settle =
                threads.submit(() -> failing.settle(Settlement.completed().commit(handle -> {
                    AppTable.write(handle, "failing", 0);
                    throw new IllegalStateException("no");
                })));
        CompletableFuture<AppendResult> after = other.appendAsync(AppendRequest.of(chunks("after")));
        release.countDown();

        assertThat(before.get().firstSeq()).isZero();
        assertThat(after.get().firstSeq()).isEqualTo(1);
        assertThatThrownBy(settle::get).hasCauseInstanceOf(CallbackFailed.class);
        assertThat(allTexts(streams, "other")).containsExactly("before", "after");
    }

    @Test
    void a_failed_statement_in_the_callback_rolls_back_as_a_whole() {
        streams.open("first").settle(Settlement.completed().commit(AppTable.message("same", 1)));
        StreamWriter second = streams.open("second");

        assertThatThrownBy(() -> second.settle(Settlement.completed().commit(AppTable.message("same", 2))))
                .isInstanceOf(CallbackFailed.class);

        assertThat(second.append("goes on").firstSeq()).isZero();
        assertThat(AppTable.messages(folder)).isEqualTo(Map.of("same", 1L));
    }

    @Test
    void the_callback_does_not_run_when_the_stream_is_settled_already_S28() {
        StreamWriter writer = streams.open("s");
        writer.settle(Settlement.completed());
        AtomicInteger runs = new AtomicInteger();

        SettleResult late = writer.settle(Settlement.completed().discard().commit(handle -> runs.incrementAndGet()));

        assertThat(late.settled()).isFalse();
        assertThat(runs).hasValue(0);
        assertThat(streams.status("s")).as("nothing is discarded either").isPresent();
    }

    @Test
    void the_callback_cannot_end_the_transaction_and_its_connection_ends_with_it() {
        StreamWriter writer = streams.open("s");
        AtomicReference<Connection> kept = new AtomicReference<>();
        writer.settle(Settlement.completed().commit(handle -> {
            Connection connection = handle.unwrap(Connection.class).orElseThrow();
            kept.set(connection);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            assertThatThrownBy(connection::rollback).isInstanceOf(SQLException.class);
            assertThatThrownBy(connection::close).isInstanceOf(SQLException.class);
            assertThat(handle.unwrap(String.class)).isEmpty();
            AppTable.write(handle, "s", 0);
        }));

        assertThat(AppTable.messages(folder)).containsKey("s");
        assertThatThrownBy(() -> kept.get().createStatement()).isInstanceOf(SQLException.class);
    }

    @Test
    void a_slow_callback_is_interrupted_at_its_limit_and_rolled_back_BOUNDED() throws Exception {
        StreamWriter writer = streams.open("s");
        writer.append("a");
        CountDownLatch entered = new CountDownLatch(1);
        Future<SettleResult> settle = threads.submit(() ->
                writer.settle(Settlement.completed().discard().commit(handle -> {
                    AppTable.write(handle, "s", 1);
                    entered.countDown();
                    new CountDownLatch(1).await(); // for ever
                })));
        entered.await();
        instance.clock().advance(instance.engine().limits().maxCallback().plus(Duration.ofMillis(1)));

        assertThatThrownBy(settle::get)
                .cause()
                .isInstanceOf(CallbackFailed.class)
                .hasMessageContaining("longer than");
        assertThat(AppTable.messages(folder)).isEmpty();
        assertThat(writer.append("b").firstSeq()).isEqualTo(1);
        assertThat(instance.committer().poison()).isNull();
        assertThat(instance.clock().pending()).isZero();
    }

    @Test
    void a_callback_that_swallows_the_interrupt_and_returns_late_is_rolled_back_all_the_same() throws Exception {
        StreamWriter writer = streams.open("s");
        CountDownLatch entered = new CountDownLatch(1);
        Future<SettleResult> settle = threads.submit(() ->
                writer.settle(Settlement.completed().discard().commit(handle -> {
                    AppTable.write(handle, "s", 0);
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        // as careless code does
                    }
                })));
        entered.await();
        instance.clock().advance(instance.engine().limits().maxCallback().plus(Duration.ofMillis(1)));

        assertThatThrownBy(settle::get).hasCauseInstanceOf(CallbackFailed.class);
        assertThat(AppTable.messages(folder)).isEmpty();
        assertThat(streams.status("s").orElseThrow().state()).isEqualTo(StreamState.LIVE);
    }

    @Test
    void a_commit_without_discard_leaves_a_settled_readable_stream_and_a_discard_without_commit_deletes_S29() {
        StreamWriter kept = streams.open("kept");
        kept.append("a");
        kept.settle(Settlement.completed().commit(AppTable.message("kept", 1)));
        StreamWriter dropped = streams.open("dropped");
        dropped.append("a");
        dropped.settle(Settlement.completed().discard());

        assertThat(allTexts(streams, "kept")).containsExactly("a");
        assertThat(streams.status("kept").orElseThrow().closedAt()).isNotNull();
        assertThat(streams.status("dropped")).isEmpty();
    }
}
