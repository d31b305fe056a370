package dev.holdfast.testkit.cluster;

import static dev.holdfast.testkit.cluster.ClusterContract.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.session.FeedSubscription;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.Time;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.testkit.SimCoordination;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of shards, turns and calls when leases change hands. */
final class TakeoverTest {

    private final SimCoordination database = new SimCoordination(Nodes.SHARDS, Time.system(), Nodes.LEASE);
    private final Nodes nodes = new Nodes(() -> database);

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void shards_are_shared_out_when_nodes_come_and_go() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        Holdfast b = nodes.join("b");
        awaitHolders(Map.of("a", 4, "b", 4));
        Holdfast c = nodes.join("c");
        awaitShares(2, 3, 3);
        b.close();
        awaitHolders(Map.of("a", 4, "c", 4));
        c.close();
        awaitHolders(Map.of("a", 8));
        assertThat(a.healthy()).isTrue();
    }

    @Test
    void what_a_node_that_is_about_to_leave_gives_back_is_taken_while_its_turns_are_drained() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        TurnSettings turns = TurnSettings.defaults().withAgent("slow", turn -> {
            running.countDown();
            end.await();
            return AgentResult.completed();
        });
        Holdfast a = nodes.join("a", HoldfastSettings.defaults().withTurns(turns));
        awaitHolders(Map.of("a", 8));
        a.sessions().create(nodes.nameIn(0));
        a.turns().start(nodes.nameIn(0), TurnRequest.answer("t", "slow", MessageDraft.of("q", "user", "?")));
        assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
        nodes.join("b", HoldfastSettings.defaults().withTurns(turns));
        CompletableFuture<Void> drained = CompletableFuture.runAsync(() -> a.drain(Duration.ofMinutes(5)));
        awaitHolders(Map.of("a", 1, "b", 7)); // and not half of them, for as long as the turn runs
        assertThat(drained).isNotDone();
        end.countDown();
        drained.join();
        awaitHolders(Map.of("b", 8));
    }

    @Test
    void shards_that_do_not_open_on_a_node_are_taken_by_the_others() {
        database.closeTo(2, IntStream.range(0, Nodes.SHARDS).boxed().collect(Collectors.toSet()));
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        Holdfast broken = nodes.join("broken");
        awaitGivenBack(a);
        awaitHolders(Map.of("a", 8));
        a.streams().open(nodes.nameIn(1)).append("1");
        assertThat(text(broken, nodes.nameIn(1))).containsExactly("1");
    }

    /** Until it has no more than its share. */
    private static void awaitGivenBack(Holdfast node) {
        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> node.shardsHeld() <= Nodes.SHARDS / 2);
    }

    @Test
    void a_call_that_meets_a_lost_lease_is_made_once_by_whoever_has_the_shard_next() {
        Duration lease = Duration.ofHours(1); // nobody looks at the leases but for a reason
        SimCoordination slow = new SimCoordination(Nodes.SHARDS, Time.system(), lease);
        NodeSettings patient = NodeSettings.named("patient")
                .withLease(lease)
                .withoutHints()
                .withPolling(Duration.ofMillis(200), Duration.ofMillis(5));
        try (Holdfast a = Holdfast.join(slow, HoldfastSettings.defaults(), patient)) {
            Awaitility.await().until(() -> a.shardsHeld() == Nodes.SHARDS);
            long unaware = a.peers().self();
            try (Holdfast b = Holdfast.join(slow, HoldfastSettings.defaults(), patient)) {
                StreamWriter atB = b.streams().open(nodes.nameIn(0));
                atB.append("before");
                slow.release(0, unaware, 1);
                long third = slow.join("third");
                assertThat(slow.acquire(0, third)).hasValue(2);
                slow.leave(third);

                assertThat(atB.append("after").firstSeq()).isEqualTo(1);
                assertThat(slow.holders().getFirst().node())
                        .isIn(unaware, b.peers().self()); // both may have a share free
                assertThat(text(b, nodes.nameIn(0))).containsExactly("before", "after");
            }
        }
    }

    @Test
    void whoever_asks_who_is_alive_renews_nobody() {
        MovedTime time = new MovedTime();
        SimCoordination slow = new SimCoordination(Nodes.SHARDS, time, Duration.ofHours(1));
        try (Holdfast node = Holdfast.join(
                slow,
                HoldfastSettings.defaults(),
                NodeSettings.named("a").withLease(Duration.ofHours(1)).withoutHints())) {
            Awaitility.await().until(() -> node.shardsHeld() == Nodes.SHARDS); // its next beat is minutes away
            time.advance(Duration.ofHours(1));
            assertThat(node.peers().othersNow()).isEmpty();
            assertThat(node.peers().isAlive(4711)).isFalse();
            assertThat(slow.standing().nodes()).isEmpty();
        }
    }

    @Test
    void a_node_that_slept_through_its_lease_writes_nothing_more_and_its_turns_are_taken_over_ONE_OUTCOME()
            throws Exception {
        SlowOnce agent = new SlowOnce(8);
        TurnSettings turns = TurnSettings.defaults().withAgent("slow-once", agent);
        Holdfast a = nodes.join("a", HoldfastSettings.defaults().withTurns(turns));
        awaitHolders(Map.of("a", 8));
        for (String name : nodes.names()) {
            a.sessions().create(name);
            a.turns().start(name, TurnRequest.answer("t", "slow-once", MessageDraft.of("q", "user", "?")));
        }
        agent.awaitBegun();

        Holdfast b = nodes.join("b", HoldfastSettings.defaults().withTurns(turns));
        long sleeper = id("a");
        database.putToSleep(sleeper);

        for (String name : nodes.names()) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(status(b, name).state()).isEqualTo(TurnState.COMPLETED));
            assertThat(b.sessions()
                            .get(name)
                            .message(status(b, name).messageId())
                            .orElseThrow()
                            .text())
                    .isEqualTo("attempt 2");
            assertThat(b.turns().live(name)).isEmpty();
        }
        database.wake(sleeper);
        Awaitility.await().untilAsserted(() -> assertThat(agent.interrupted()).hasSize(8)); // a stopped its model calls
        assertThat(agent.runs()).isEqualTo(16);
    }

    /** The newest node of this name. */
    private long id(String name) {
        return database.members().entrySet().stream()
                .filter(member -> member.getValue().equals(name))
                .mapToLong(Map.Entry::getKey)
                .max()
                .orElseThrow();
    }

    /** Waits until so many shards are held by each. */
    private void awaitHolders(Map<String, Integer> wanted) {
        Awaitility.await().untilAsserted(() -> {
            Map<Long, String> members = database.members();
            Map<String, Integer> held = new TreeMap<>();
            database.holders()
                    .forEach(holder -> held.merge(members.getOrDefault(holder.node(), "nobody"), 1, Integer::sum));
            assertThat(held).isEqualTo(new TreeMap<>(wanted));
        });
    }

    /** Waits until so many shards are held, by whomever. */
    private void awaitShares(Integer... wanted) {
        Awaitility.await().untilAsserted(() -> {
            Map<Long, Integer> held = new TreeMap<>();
            database.holders().forEach(holder -> held.merge(holder.node(), 1, Integer::sum));
            assertThat(held.values()).containsExactlyInAnyOrder(wanted);
        });
    }

    private static TurnStatus status(Holdfast node, String name) {
        return node.turns().status(name, "t").orElseThrow();
    }

    @Test
    void a_reader_is_told_when_its_shard_changes_hands_and_goes_on_at_its_cursor_EVERY_CURSOR() throws Exception {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        String name = nodes.nameIn(0);
        StreamWriter writer = a.streams().open(name);
        writer.append("0");
        StreamReader atA = a.streams().tail(name, 0);
        assertThat(atA.next(10).chunks()).hasSize(1);
        Holdfast b = nodes.join("b");
        long sleeper = id("a");
        database.putToSleep(sleeper);
        awaitHolders(Map.of("b", 8));
        database.wake(sleeper);
        assertThatExceptionOfType(Closed.class).isThrownBy(() -> {
            while (true) {
                atA.next(10);
            }
        });
        b.streams().open(name).append("1");
        try (StreamReader again = b.streams().tail(name, atA.cursor().seq())) {
            assertThat(again.next(10).chunks())
                    .extracting(chunk -> chunk.toByteArray()[0])
                    .containsExactly((byte) '1');
        }
        atA.close();
    }

    @Test
    void a_listener_of_a_feed_goes_on_when_its_shard_changes_hands_NO_SEAM() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        String name = nodes.nameIn(0);
        List<Long> heard = new CopyOnWriteArrayList<>();
        FeedSubscription listening = a.sessions().create(name).feed().listen(event -> heard.add(event.seq()));
        try {
            a.sessions().get(name).append(MessageDraft.of("1", "user", "before"));
            Awaitility.await().until(() -> heard.size() == 1);
            Holdfast b = nodes.join("b");
            long sleeper = id("a");
            database.putToSleep(sleeper);
            awaitHolders(Map.of("b", 8));
            database.wake(sleeper);
            b.sessions().get(name).append(MessageDraft.of("2", "user", "after"));
            Awaitility.await().until(() -> heard.size() == 2);
            assertThat(heard).isSorted().doesNotHaveDuplicates();
        } finally {
            listening.close();
        }
    }

    @Test
    void a_writer_does_not_answer_from_what_its_node_remembers_when_the_shard_may_have_left_VISIBLE_IS_DURABLE() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        String name = nodes.nameIn(0);
        StreamWriter writer = a.streams().open(name);
        writer.append("0");
        Holdfast b = nodes.join("b");
        long sleeper = id("a");
        database.putToSleep(sleeper);
        awaitHolders(Map.of("b", 8));
        b.streams().append(name, AppendRequest.of(List.of("1".getBytes(UTF_8))));
        AppendRequest expecting = AppendRequest.of(List.of("2".getBytes(UTF_8))).at(2);
        try {
            Awaitility.await().until(() -> !a.healthy()); // by its own clock its lease is over
            assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> writer.append(expecting));
        } finally {
            database.wake(sleeper); // or it could not be closed
        }
        Awaitility.await()
                .ignoreExceptionsInstanceOf(StoreBusy.class)
                .until(() -> writer.append(expecting).nextSeq() == 3);
    }

    @Test
    void after_the_database_was_away_for_longer_than_a_lease_a_node_takes_its_own_shards_again() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        StreamWriter writer = a.streams().open(nodes.nameIn(1));
        writer.append("before");
        database.down(true);
        Awaitility.await().until(() -> a.shardsHeld() == 0);
        database.down(false);
        Awaitility.await().until(() -> a.shardsHeld() == Nodes.SHARDS);
        writer.append("after");
        assertThat(text(a, nodes.nameIn(1))).containsExactly("before", "after");
    }

    @Test
    void a_call_whose_letter_may_have_been_sent_is_made_at_most_once_and_its_caller_is_told_if_nobody_knows() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        Holdfast b = nodes.join("b");
        nodes.awaitBalance();
        for (String name : nodes.names()) {
            StreamWriter writer = b.streams().open(name);
            List<String> acknowledged = new ArrayList<>();
            List<String> unknown = new ArrayList<>();
            database.sendsUnanswered(true);
            for (int i = 0; i < 3; i++) {
                try {
                    writer.append("" + i);
                    acknowledged.add("" + i);
                } catch (OutcomeUnknown e) {
                    unknown.add("" + i);
                }
            }
            database.sendsUnanswered(false);
            List<String> stored = text(a, name);
            assertThat(stored).doesNotHaveDuplicates().containsAll(acknowledged);
            assertThat(acknowledged.size() + unknown.size()).isEqualTo(3);
        }
    }

    @Test
    void appends_of_a_writer_on_another_node_are_stored_in_the_order_of_the_calls() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        Holdfast b = nodes.join("b");
        nodes.awaitBalance();
        for (String name : nodes.names()) {
            StreamWriter writer = b.streams().open(name);
            List<CompletableFuture<AppendResult>> appends = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                appends.add(writer.appendAsync(AppendRequest.of(List.of(("" + i).getBytes(UTF_8)))));
            }
            for (int i = 0; i < 50; i++) {
                assertThat(appends.get(i).join().firstSeq()).isEqualTo(i);
            }
            assertThat(text(a, name)).hasSize(50).endsWith("48", "49");
        }
    }

    @Test
    void a_long_stream_of_small_commits_is_followed_whole_from_its_first_look() {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        nodes.awaitBalance();
        for (String name : nodes.names().subList(0, 2)) {
            StreamWriter writer = a.streams().open(name);
            for (int i = 0; i < 5_000; i += 50) {
                int first = i;
                List<CompletableFuture<AppendResult>> appends = IntStream.range(first, first + 50)
                        .mapToObj(n -> writer.appendAsync(AppendRequest.of(List.of(("" + n).getBytes(UTF_8)))))
                        .toList();
                appends.forEach(CompletableFuture::join);
            }
            for (Holdfast node : List.of(a, b)) {
                assertThat(node.streams().status(name).orElseThrow().tail()).isEqualTo(5_000);
                assertThat(text(node, name)).hasSize(5_000).endsWith("4999");
            }
        }
    }

    @Test
    void while_the_database_is_away_calls_are_refused_and_go_on_afterwards() {
        Holdfast a = nodes.join("a");
        awaitHolders(Map.of("a", 8));
        StreamWriter writer = a.streams().open(nodes.nameIn(1));
        writer.append("before");
        database.down(true);
        assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> writer.append("lost"));
        database.down(false);
        writer.append("after");
        assertThat(text(a, nodes.nameIn(1))).containsExactly("before", "after");
    }
}
