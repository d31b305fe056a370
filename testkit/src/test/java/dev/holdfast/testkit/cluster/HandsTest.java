package dev.holdfast.testkit.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What readers and callers of a node notice when its shards, or its own number, change hands; and what does not make them. */
final class HandsTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final SimCoordination database = new SimCoordination(Nodes.SHARDS, Time.system(), LEASE);
    private final Nodes names = new Nodes(() -> database);

    private Holdfast join(String name, TurnSettings turns) {
        return join(database, name, turns);
    }

    private static Holdfast join(Coordination database, String name, TurnSettings turns) {
        return Holdfast.join(
                database,
                HoldfastSettings.defaults().withTurns(turns),
                NodeSettings.named(name).withLease(LEASE).withPatience(Duration.ofHours(1)));
    }

    /** The database, with the calls of one kind counted. */
    private Coordination watched(String verb, AtomicInteger calls) {
        return (Coordination) Proxy.newProxyInstance(
                HandsTest.class.getClassLoader(), new Class<?>[] {Coordination.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(verb)) {
                        calls.incrementAndGet();
                    }
                    try {
                        return method.invoke(database, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** One that read nothing for ever instead would keep a processor busy. */
    @Test
    void a_reader_of_a_feed_is_told_that_its_shard_is_another_nodes_and_goes_on_at_its_position_NO_SEAM()
            throws InterruptedException {
        try (Holdfast a = join("a", TurnSettings.defaults())) {
            Awaitility.await().until(() -> a.shardsHeld() == Nodes.SHARDS);
            Map<Integer, FeedReader> readers = new HashMap<>();
            for (int shard = 0; shard < Nodes.SHARDS; shard++) {
                a.sessions().create(names.nameIn(shard));
                FeedReader reader = a.sessions().get(names.nameIn(shard)).feed().open(0);
                reader.read(10);
                readers.put(shard, reader);
            }
            try (Holdfast b = join("b", TurnSettings.defaults())) {
                Awaitility.await().until(() -> b.shardsHeld() == Nodes.SHARDS / 2);
                long other = b.peers().self();
                List<Integer> moved = IntStream.range(0, Nodes.SHARDS)
                        .filter(shard -> database.holders().get(shard).node() == other)
                        .boxed()
                        .toList();
                assertThat(moved).hasSize(Nodes.SHARDS / 2);
                for (int shard : moved) {
                    FeedReader before = Objects.requireNonNull(readers.get(shard));
                    b.sessions().get(names.nameIn(shard)).append(MessageDraft.of("m", "user", "there"));
                    List<FeedEvent> seen;
                    try (FeedReader after =
                            a.sessions().get(names.nameIn(shard)).feed().open(before.position())) {
                        seen = after.next(10);
                    }
                    assertThat(before.next(10)).isEqualTo(seen); // what is there is there for the old one too
                    assertThatExceptionOfType(Closed.class)
                            .isThrownBy(() -> before.read(10))
                            .withMessageContaining("same position");
                    assertThat(before.hasChanged()).isTrue();
                }
            }
            readers.values().forEach(FeedReader::close);
        }
    }

    @Test
    void a_node_that_drains_while_there_is_no_other_keeps_its_shards_until_another_comes() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        TurnSettings turns = TurnSettings.defaults().withAgent("slow", turn -> {
            running.countDown();
            end.await();
            return AgentResult.completed();
        });
        AtomicInteger retired = new AtomicInteger();
        try (Holdfast a = join(watched("retire", retired), "a", turns)) {
            Awaitility.await().until(() -> a.shardsHeld() == Nodes.SHARDS);
            a.sessions().create(names.nameIn(0));
            a.turns().start(names.nameIn(0), TurnRequest.answer("t", "slow", MessageDraft.of("q", "user", "?")));
            running.await();
            CompletableFuture<Void> drained = CompletableFuture.runAsync(() -> a.drain(Duration.ofMinutes(5)));
            Awaitility.await().until(() -> retired.get() == 1);
            a.streams().open(names.nameIn(1)).append("still"); // nobody else could write it
            assertThat(a.shardsHeld()).isEqualTo(Nodes.SHARDS);
            try (Holdfast b = join("b", turns)) {
                Awaitility.await().until(() -> b.shardsHeld() == Nodes.SHARDS - 1);
                assertThat(drained).isNotDone();
                end.countDown();
                drained.join();
            }
        }
    }

    /** Who comes back after {@code Closed} would otherwise come back for ever. */
    @Test
    void nobody_is_attached_to_what_is_closed() {
        Holdfast closed = join("a", TurnSettings.defaults());
        Session session;
        try (closed) {
            closed.streams().open("stream").append("1");
            session = closed.sessions().create("session");
        }
        assertThatExceptionOfType(Closed.class)
                .isThrownBy(() -> closed.streams().tail("stream", 0).close());
        assertThatExceptionOfType(Closed.class)
                .isThrownBy(() -> session.feed().open(0).close());
    }

    @Test
    void a_node_whose_agents_compute_for_longer_than_a_lease_keeps_its_shards() {
        AtomicInteger beats = new AtomicInteger();
        AtomicInteger computing = new AtomicInteger();
        Coordination counted = watched("beat", beats);
        int all = Runtime.getRuntime().availableProcessors();
        TurnSettings turns = TurnSettings.defaults().withAgent("computing", turn -> {
            computing.incrementAndGet();
            long giveUp = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (computing.get() < all && System.nanoTime() - giveUp < 0) {
                Thread.onSpinWait();
            }
            int before = beats.get();
            while (beats.get() < before + 6 && System.nanoTime() - giveUp < 0) { // two leases
                Thread.onSpinWait();
            }
            if (beats.get() < before + 6) {
                throw new AssertionError("the node did not beat");
            }
            return AgentResult.completed();
        });
        try (Holdfast node = join(counted, "a", turns)) {
            Awaitility.await().until(() -> node.shardsHeld() == Nodes.SHARDS);
            long number = node.peers().self();
            for (int i = 0; i < all; i++) {
                node.sessions().create("session-" + i);
                node.turns()
                        .start("session-" + i, TurnRequest.answer("t", "computing", MessageDraft.of("q", "user", "?")));
            }
            for (int i = 0; i < all; i++) {
                String session = "session-" + i;
                Awaitility.await()
                        .atMost(Duration.ofMinutes(2))
                        .untilAsserted(() -> assertThat(node.turns()
                                        .status(session, "t")
                                        .orElseThrow()
                                        .state()
                                        .isOutcome())
                                .isTrue());
                assertThat(node.turns().status(session, "t").orElseThrow().error())
                        .isNull();
            }
            assertThat(node.peers().self()).isEqualTo(number);
        }
    }

    @Test
    void who_waits_for_another_nodes_answer_is_told_when_it_will_not_find_its_way() throws Exception {
        try (Holdfast a = join("a", TurnSettings.defaults());
                Holdfast b = join("b", TurnSettings.defaults())) {
            Awaitility.await().until(() -> a.shardsHeld() > 0 && b.shardsHeld() > 0);
            CountDownLatch asked = new CountDownLatch(1);
            CountDownLatch answered = new CountDownLatch(1);
            Runnable unused = b.peers().answer("riddle", question -> {
                asked.countDown();
                awaitUninterruptibly(answered);
                return question;
            });
            long before = a.peers().self();
            long other = b.peers().self();
            CompletableFuture<Object> told = CompletableFuture.supplyAsync(() -> {
                try {
                    return a.peers().ask(other, "riddle", "?".getBytes(UTF_8));
                } catch (OutcomeUnknown e) {
                    return e;
                }
            });
            asked.await();
            database.putToSleep(before);
            Awaitility.await().until(() -> !database.members().containsKey(before)); // b gave it up
            database.wake(before);
            Awaitility.await().until(() -> a.peers().self() != before);
            answered.countDown(); // to a node that there is not any more
            Awaitility.await().until(told::isDone);
            assertThat(told.join())
                    .isInstanceOfSatisfying(
                            OutcomeUnknown.class, e -> assertThat(e).hasMessageContaining("given up by the others"));
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
