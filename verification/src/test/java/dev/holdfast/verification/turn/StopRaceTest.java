package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Message;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.TurnsInMemory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stops that race with the ends of turns, on real threads and a real store, thousands of times with random timing: each turn has one outcome,
 * all that is told agrees with it, and nothing is left half-written (ONE-OUTCOME, NEVER-BOTH).
 */
class StopRaceTest {

    /** Together some thousand races; each round is many sessions at once, so that the commands meet in shared batches too. */
    private static final int ROUNDS = 150;

    private static final int SESSIONS = 16;
    private static final int MAX_SPINS = 60_000;

    @TempDir
    Path folder;

    /** How far the turn is when its stop comes; with the last, the turn had its end, so that every outcome occurs on any machine. */
    private enum Moment {
        STARTED,
        LAST_CHUNK,
        ENDED
    }

    private static final Map<String, CountDownLatch> LAST_CHUNKS = new ConcurrentHashMap<>();

    /** Emits a chunk, is idle for as long as its input says, and ends as its input says. */
    private static final Agent RACER = turn -> {
        turn.emit("a");
        int spins = Integer.parseInt(new String(turn.input(), StandardCharsets.US_ASCII));
        spin(Math.abs(spins));
        turn.emit("b");
        lastChunk(turn.sessionId(), turn.turnId()).countDown();
        if (spins < 0) {
            throw new IllegalStateException("failed on purpose");
        }
        return AgentResult.completed();
    };

    private static CountDownLatch lastChunk(String session, String turn) {
        return LAST_CHUNKS.computeIfAbsent(session + "/" + turn, key -> new CountDownLatch(1));
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    @Tag("row-9")
    void thousands_of_stops_that_race_with_finishes_leave_one_outcome_each_S77() throws Exception {
        SplittableRandom random = new SplittableRandom(20261129);
        Map<TurnState, Integer> outcomes = new EnumMap<>(TurnState.class);
        try (Holdfast holdfast = open(folder, RACER)) {
            for (int s = 0; s < SESSIONS; s++) {
                holdfast.sessions().create(SESSION + s);
            }
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<TurnState>> races = new ArrayList<>();
                CyclicBarrier together = new CyclicBarrier(SESSIONS);
                for (int s = 0; s < SESSIONS; s++) {
                    int agentSpins = random.nextInt(1, MAX_SPINS) * (random.nextInt(4) == 0 ? -1 : 1);
                    int stopSpins = random.nextInt(MAX_SPINS);
                    Moment moment = Moment.values()[random.nextInt(Moment.values().length)];
                    String session = SESSION + s;
                    String turn = "t" + round;
                    CompletableFuture<TurnState> race = new CompletableFuture<>();
                    races.add(race);
                    Thread.ofVirtual().start(() -> {
                        try {
                            together.await();
                            race.complete(race(holdfast, session, turn, agentSpins, moment, stopSpins));
                        } catch (Throwable e) { // the test's own thread tells
                            race.completeExceptionally(e);
                        }
                    });
                }
                for (CompletableFuture<TurnState> race : races) {
                    outcomes.merge(race.get(), 1, Integer::sum);
                }
            }
            assertThat(holdfast.streams().list(StreamListing.all())).isEmpty();
            TurnsInMemory.awaitNone(holdfast.turns());
            for (int s = 0; s < SESSIONS; s++) {
                assertFeedAgrees(holdfast, SESSION + s);
            }
        }
        assertThat(outcomes).containsOnlyKeys(TurnState.COMPLETED, TurnState.STOPPED, TurnState.FAILED);
    }

    private static TurnState race(
            Holdfast holdfast, String session, String turn, int agentSpins, Moment moment, int stopSpins)
            throws InterruptedException {
        byte[] input = Integer.toString(agentSpins).getBytes(StandardCharsets.US_ASCII);
        TurnHandle handle = holdfast.turns().start(session, ask(turn).withInput(input));
        switch (moment) {
            case STARTED -> spin(stopSpins);
            case LAST_CHUNK -> {
                lastChunk(session, turn).await();
                spin(stopSpins / 100);
            }
            case ENDED -> handle.await();
        }
        LAST_CHUNKS.remove(session + "/" + turn);
        StopResult stop = holdfast.turns().stop(session, turn, "race");
        TurnStatus end = handle.await();

        TurnState natural = agentSpins < 0 ? TurnState.FAILED : TurnState.COMPLETED;
        assertThat(end.state()).isEqualTo(stop.accepted() ? TurnState.STOPPED : natural);
        if (!stop.accepted()) {
            assertThat(stop.state()).isEqualTo(end.state());
        }
        assertThat(holdfast.turns().status(session, turn)).contains(end);
        assertThat(holdfast.turns().stop(session, turn, null).accepted()).isFalse();
        Optional<Message> message = holdfast.sessions().get(session).message(end.messageId());
        if (end.state() == TurnState.STOPPED) {
            assertThat(message.map(Message::text).orElse("")).isIn("", "a", "ab");
        } else {
            assertThat(message.orElseThrow().text()).isEqualTo("ab");
        }
        return end.state();
    }

    private static void assertFeedAgrees(Holdfast holdfast, String session) {
        List<FeedEvent> ends = new ArrayList<>();
        long at = 0;
        List<FeedEvent> page;
        do {
            page = holdfast.sessions().get(session).feed().read(at, 1000);
            at += page.size();
            page.stream()
                    .filter(event -> event.kind() == FeedRow.Kind.TURN_ENDED)
                    .forEach(ends::add);
        } while (!page.isEmpty());
        assertThat(ends).as("one end of each turn").hasSize(ROUNDS);
        assertThat(ends).extracting(FeedEvent::turn).doesNotHaveDuplicates();
    }

    @Test
    void stops_that_race_with_a_turn_leaving_the_queue_leave_one_outcome_each_S77() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        Agent quick = turn -> {
            turn.emit("x");
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, quick)) {
            for (int i = 0; i < 300; i++) {
                TurnHandle first = holdfast.turns().start(SESSION, ask("a" + i));
                TurnHandle waiting = holdfast.turns().start(SESSION, ask("b" + i));
                spin(random.nextInt(MAX_SPINS));
                StopResult stop = holdfast.turns().stop(SESSION, "b" + i, null);

                assertThat(first.await().state()).isEqualTo(TurnState.COMPLETED);
                assertThat(waiting.await().state())
                        .isEqualTo(stop.accepted() ? TurnState.STOPPED : TurnState.COMPLETED);
            }
            assertThat(holdfast.turns().live(SESSION)).isEmpty();
            TurnsInMemory.awaitNone(holdfast.turns());
        }
    }

    @Test
    @Tag("S69")
    void a_stop_and_a_start_that_cross_leave_the_turn_stopped_or_never_begun_S77() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Agent waits = turn -> {
            turn.emit("x");
            never.await();
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, waits)) {
            for (int i = 0; i < 300; i++) {
                String turn = "t" + i;
                CyclicBarrier together = new CyclicBarrier(2);
                CompletableFuture<StopResult> stop = new CompletableFuture<>();
                Thread.ofVirtual().start(() -> {
                    try {
                        together.await();
                        stop.complete(holdfast.turns().stop(SESSION, turn, "crossed"));
                    } catch (Throwable e) { // the test's own thread tells
                        stop.completeExceptionally(e);
                    }
                });
                together.await();
                TurnHandle handle = holdfast.turns().start(SESSION, ask(turn));

                assertThat(stop.get().accepted()).isTrue();
                TurnStatus end = handle.await();
                assertThat(end.state()).isEqualTo(TurnState.STOPPED);
                assertThat(end.error()).isEqualTo("crossed");
            }
            TurnsInMemory.awaitNone(holdfast.turns());
        }
        try (SqliteStore store = SqliteStore.open(folder, StoreSettings.defaults())) {
            assertThat(KeptProperties.of(store, "holdfast/")).isEmpty();
        }
    }
}
