package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that are cut at random frames while turns run, wait, go on, queue and are stopped: replay and live have no seam, whatever overtakes
 * what (NO-SEAM, EVERY-CURSOR).
 */
@InProcess(
        "Hundreds of sessions whose connections are cut at frames before they reach a socket, where most is in flight; `CutsTest` is the same over the wire")
final class SeamTest {

    private static final int SESSIONS = 256;
    private static final int AT_ONCE = 4;
    private static final int TURNS = 3;

    /** Frames between two cuts, for each of the clients of a session; 0 is never cut. */
    private static final List<Integer> CLIENTS = List.of(0, 1, 2, 5);

    @TempDir
    private Path folder;

    @Test
    void whatever_breaks_a_connection_its_client_has_everything_once_and_in_order_M42_M67_M72_M77_M79_M80()
            throws Exception {
        long seed = System.nanoTime();
        try (Holdfast holdfast = Holdfast.open(
                        folder,
                        HoldfastSettings.defaults()
                                .withTurns(TurnSettings.defaults()
                                        .withAssembler(new UiMessageAssembler())
                                        .withAgent("chance", new ChanceAgent())));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Transport transport = new Transport(
                    holdfast,
                    Authorizer.allowAll(),
                    TransportSettings.of(
                            SseSettings.defaults().withHeartbeat(Duration.ZERO), HttpLimits.defaults(), "chance"));
            SplittableRandom seeds = new SplittableRandom(seed);
            int cuts = 0;
            try {
                for (int i = 0; i < SESSIONS; i += AT_ONCE) {
                    List<Future<Integer>> sessions = new ArrayList<>();
                    for (int s = i; s < i + AT_ONCE; s++) {
                        String id = "s" + s;
                        SplittableRandom random = seeds.split();
                        sessions.add(threads.submit(() -> play(holdfast, transport, threads, id, random)));
                    }
                    for (Future<Integer> session : sessions) {
                        cuts += session.get();
                    }
                }
            } finally {
                threads.shutdownNow(); // after a failure some still wait for what does not come
            }
            assertThat(cuts).as("cuts with seed %d", seed).isGreaterThan(SESSIONS);
            assertThat(transport.connections().count()).isZero();
            assertThat(transport.connections().watchedSessions()).isZero();
        } catch (AssertionError | ExecutionException e) {
            throw new AssertionError("With seed " + seed, e);
        }
    }

    /** Returns how often connections were cut. */
    private static int play(
            Holdfast holdfast, Transport transport, ExecutorService threads, String id, SplittableRandom random)
            throws Exception {
        Session session = holdfast.sessions().create(id);
        List<CutCable> clients = new ArrayList<>();
        List<Future<?>> following = new ArrayList<>();
        for (int cuts : CLIENTS) {
            CutCable client = new CutCable(transport, id, random.split(), cuts);
            clients.add(client);
            following.add(threads.submit(() -> {
                client.follow(() -> client.applied.kinds().stream()
                                .filter("turn-ended"::equals)
                                .count()
                        == TURNS);
                return null;
            }));
        }
        List<TurnHandle> turns = new ArrayList<>();
        for (int t = 0; t < TURNS; t++) {
            String turn = "t" + t + "-" + Long.toHexString(random.nextLong());
            MessageDraft question =
                    MessageDraft.of("q" + t, "user", "{\"id\":\"q" + t + "\",\"role\":\"user\",\"parts\":[]}");
            turns.add(holdfast.turns().start(id, TurnRequest.answer(turn, "chance", question)));
            if (random.nextInt(6) == 0) {
                Object unused = holdfast.turns().stop(id, turn, "by chance");
            }
        }
        for (TurnHandle turn : turns) {
            if (turn.await().state() == TurnState.AWAITING) {
                Object unused = holdfast.turns().resume(id, turn.id(), null).await();
            }
        }
        for (Future<?> client : following) {
            client.get();
        }
        long events = session.feed().next();
        int cuts = 0;
        for (CutCable client : clients) {
            for (String message : Sequence.check(client.applied, events)) {
                assertThat(session.message(message)).as(message).isPresent();
            }
            cuts += client.connections() - 1;
        }
        return cuts;
    }
}
