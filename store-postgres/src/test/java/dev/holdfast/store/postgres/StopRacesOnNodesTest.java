package dev.holdfast.store.postgres;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Message;
import dev.holdfast.store.FeedRow;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.testkit.cluster.Nodes;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stops from one node that race with the ends of turns on another: whatever the order, there is one outcome, all that any node tells agrees with it,
 * and nothing is left half-written (ONE-OUTCOME, NEVER-BOTH).
 */
final class StopRacesOnNodesTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));

    /** Of each session; there is one in each shard. */
    private static final int ROUNDS = NIGHTLY ? 3_000 : 250;

    /** About as long as a letter and its answer take. */
    private static final int MAX_SPINS = 60_000;

    private static final int PAGE = 1_000;

    private final PostgresSettings settings =
            PostgresServer.shared().settings().withShards(Nodes.SHARDS).withPools(8, 4);
    private final Map<String, CountDownLatch> lastChunks = new ConcurrentHashMap<>();

    /** How far the turn is when its stop comes; with the last, the turn had its end, so that both outcomes occur on any machine. */
    private enum Moment {
        STARTED,
        LAST_CHUNK,
        ENDED
    }

    private CountDownLatch lastChunk(String session, String turn) {
        return lastChunks.computeIfAbsent(session + "/" + turn, key -> new CountDownLatch(1));
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /** Emits a chunk, is busy for as long as its input says, emits another one, and ends. */
    private final Agent racer = turn -> {
        turn.emit("a");
        spin(Integer.parseInt(new String(turn.input(), US_ASCII)));
        turn.emit("b");
        lastChunk(turn.sessionId(), turn.turnId()).countDown();
        return AgentResult.completed();
    };

    @Test
    @Timeout(1_200)
    void thousands_of_stops_from_one_node_that_race_with_finishes_on_another_leave_one_outcome_each_ONE_OUTCOME()
            throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        HoldfastSettings turns =
                HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent("racer", racer));
        try (PostgresDatabase first = PostgresDatabase.open(settings);
                PostgresDatabase second = PostgresDatabase.open(settings);
                Nodes nodes = new Nodes(new Databases(first, second)::next);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Holdfast> both = List.of(nodes.join("a", turns), nodes.join("b", turns));
            nodes.awaitBalance(); // the futures of turns would not outlive a change of hands
            List<Future<Map<TurnState, Integer>>> sessions = new ArrayList<>();
            for (String session : nodes.names()) {
                SplittableRandom own = random.split();
                sessions.add(threads.submit(() -> race(both, session, own)));
            }
            Map<TurnState, Integer> outcomes = new EnumMap<>(TurnState.class);
            for (Future<Map<TurnState, Integer>> session : sessions) {
                session.get().forEach((state, count) -> outcomes.merge(state, count, Integer::sum));
            }
            assertThat(outcomes).containsOnlyKeys(TurnState.COMPLETED, TurnState.STOPPED);
            for (Holdfast node : both) {
                assertThat(node.streams().list(StreamListing.all().in(EnumSet.of(StreamState.LIVE))))
                        .isEmpty();
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("-Dholdfast.seed=" + seed, e);
        }
    }

    /** Each node has a database of its own, as in a process of its own. */
    private static final class Databases {
        private final List<PostgresDatabase> left;

        Databases(PostgresDatabase... all) {
            left = new ArrayList<>(List.of(all));
        }

        PostgresCoordination next() {
            return left.removeFirst()
                    .coordination(CoordinationSettings.DEFAULTS
                            .withLockTimeout(Nodes.LEASE)
                            .withLease(Nodes.LEASE));
        }
    }

    private Map<TurnState, Integer> race(List<Holdfast> both, String session, SplittableRandom random)
            throws InterruptedException {
        Map<TurnState, Integer> outcomes = new EnumMap<>(TurnState.class);
        Map<String, TurnState> ends = new ConcurrentHashMap<>();
        var unused = both.getFirst().sessions().create(session);
        for (int round = 0; round < ROUNDS; round++) {
            String turn = "t" + round;
            TurnState state = race(both, session, turn, random);
            outcomes.merge(state, 1, Integer::sum);
            ends.put(turn, state);
        }
        for (Holdfast node : both) {
            assertFeedAgrees(node, session, ends);
        }
        return outcomes;
    }

    private TurnState race(List<Holdfast> both, String session, String turn, SplittableRandom random)
            throws InterruptedException {
        Holdfast starts = both.get(random.nextInt(both.size()));
        Holdfast stops = both.get(random.nextInt(both.size()));
        byte[] input = Integer.toString(random.nextInt(MAX_SPINS)).getBytes(US_ASCII);
        TurnHandle handle =
                starts.turns().start(session, TurnRequest.of(turn, "racer").withInput(input));
        switch (Moment.values()[random.nextInt(Moment.values().length)]) {
            case STARTED -> spin(random.nextInt(MAX_SPINS));
            case LAST_CHUNK -> {
                lastChunk(session, turn).await();
                spin(random.nextInt(MAX_SPINS / 10));
            }
            case ENDED -> {
                TurnStatus unused = handle.await();
            }
        }
        StopResult stop = stops.turns().stop(session, turn, "race");
        TurnStatus end = handle.await();
        lastChunks.remove(session + "/" + turn);

        assertThat(end.state())
                .as("the answer to the stop was %s", stop)
                .isEqualTo(stop.accepted() ? TurnState.STOPPED : TurnState.COMPLETED);
        assertSaid(both.get(random.nextInt(both.size())), session, end);
        return end.state();
    }

    private static void assertSaid(Holdfast node, String session, TurnStatus end) {
        assertThat(node.turns().status(session, end.id()).map(TurnStatus::state))
                .contains(end.state());
        assertThat(node.turns().stop(session, end.id(), null).accepted()).isFalse();
        String text = node.sessions()
                .get(session)
                .message(end.messageId())
                .map(Message::text)
                .orElse("");
        if (end.state() == TurnState.STOPPED) {
            assertThat(text).isIn("", "a", "ab");
        } else {
            assertThat(text).isEqualTo("ab");
        }
    }

    private static void assertFeedAgrees(Holdfast node, String session, Map<String, TurnState> outcomes) {
        List<String> ended = new ArrayList<>();
        long at = 0;
        List<FeedEvent> page;
        do {
            page = node.sessions().get(session).feed().read(at, PAGE);
            at += page.size();
            page.stream()
                    .filter(event -> event.kind() == FeedRow.Kind.TURN_ENDED)
                    .forEach(event -> ended.add(event.turnId().orElseThrow()));
        } while (!page.isEmpty());
        assertThat(ended)
                .as("one end of each turn of %s", session)
                .containsExactlyInAnyOrderElementsOf(outcomes.keySet());
    }
}
