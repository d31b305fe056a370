package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.sending;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Clients that hang up at frames by chance and come back with their cursors, while turns run, wait, go on, queue and are stopped: what {@link SeamTest} plays
 * without sockets, over both transports (NO-SEAM, EVERY-CURSOR).
 */
@ParameterizedClass
@EnumSource
final class CutsTest extends BothTransports {

    private static final int SESSIONS = 12;
    private static final int TURNS = 3;

    /** Frames between two cuts on average, for each of the clients of a session. */
    private static final List<Integer> CLIENTS = List.of(1, 2, 5);

    CutsTest(Way way) {
        super(way);
    }

    @Test
    void whoever_hangs_up_and_comes_back_has_everything_once_and_in_order_M42_M67_M72_M77_M79_M80() throws Exception {
        long seed = System.nanoTime();
        SplittableRandom seeds = new SplittableRandom(seed);
        int cuts = 0;
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (int i = 0; i < SESSIONS; i++) {
                cuts += play("s" + i, threads, seeds.split());
            }
        } catch (AssertionError | ExecutionException e) {
            throw new AssertionError("With seed " + seed, e);
        } finally {
            threads.shutdownNow(); // after a failure some still wait for what does not come
        }
        assertThat(cuts).as("cuts with seed %d", seed).isGreaterThan(SESSIONS);
        Patience.await().untilAsserted(() -> {
            assertThat(wire.there.connections()).isZero();
            assertThat(wire.there.watchedSessions()).isZero();
        });
    }

    /** Returns how often clients hung up. */
    private int play(String session, ExecutorService threads, SplittableRandom random) throws Exception {
        wire.there.create(session);
        List<Future<Cut>> clients = new ArrayList<>();
        for (int frames : CLIENTS) {
            SplittableRandom own = random.split();
            clients.add(threads.submit(() -> follow(session, frames, own)));
        }
        List<Applied> all = new ArrayList<>();
        all.add(drive(session, random));
        int cuts = 0;
        for (Future<Cut> client : clients) {
            all.add(client.get().applied());
            cuts += client.get().connections() - 1;
        }
        long events = wire.there.events(session);
        for (Applied applied : all) {
            for (String message : Sequence.check(applied, events)) {
                assertThat(wire.there.message(session, message)).as(message).isTrue();
            }
        }
        return cuts;
    }

    /** Starts the turns, stops some of them, goes on with those that wait, and sees them all to their ends without a cut. */
    private Applied drive(String session, SplittableRandom random) throws Exception {
        try (Line line = connect()) {
            Applied applied = line.watch(session);
            for (int t = 0; t < TURNS; t++) {
                String turn = "t" + t + "-" + Long.toHexString(random.nextLong());
                ObjectNode send = sending(session, turn);
                ((ObjectNode) send.get("turn")).put("agent", "chance");
                line.done(send);
                if (random.nextInt(6) == 0) {
                    line.done(command("stop").put("session", session).put("turn", turn));
                }
            }
            for (int seen = 0; ended(applied) < TURNS; ) {
                applied.frame(line.next());
                for (; seen < applied.events().size(); seen++) {
                    JsonNode event = applied.events().get(seen);
                    if (event.get("kind").stringValue().equals("turn-awaiting")) {
                        wire.there.resume(session, event.get("turn").stringValue());
                    }
                }
            }
            return applied;
        }
    }

    /** What a client has, and how many connections it took. */
    private record Cut(Applied applied, int connections) {}

    private Cut follow(String session, int framesBetweenCuts, SplittableRandom random) throws Exception {
        Applied applied = new Applied(session);
        int connections = 0;
        while (ended(applied) < TURNS) {
            connections++;
            try (Line line = connect()) {
                line.done(reconnecting(session, applied.cursorOrNull()));
                int left = 1 + random.nextInt(2 * framesBetweenCuts);
                while (left-- > 0 && ended(applied) < TURNS) {
                    applied.frame(line.next());
                }
            }
        }
        return new Cut(applied, connections);
    }

    private static long ended(Applied applied) {
        return applied.kinds().stream().filter("turn-ended"::equals).count();
    }
}
