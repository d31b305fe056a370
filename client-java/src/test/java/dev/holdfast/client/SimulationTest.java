package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.SimNetwork.Line;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import dev.holdfast.client.message.TurnDraft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of histories of a client on an unkind network: cuts that it learns of and such that it does not, late answers, frames that are lost and
 * repeated, refusals, a listener that throws, watches that come and go. In each, at every instant, what a listener took is the session from where it began,
 * without a gap and with nothing twice; and once the network is kind again, all of it arrives, and everything that was sent was started once and in order.
 * {@code -Dholdfast.seed=N} plays one history.
 */
final class SimulationTest {

    private static final int HISTORIES = "nightly".equals(System.getProperty("holdfast.profile")) ? 100_000 : 3_000;

    private static final int STEPS = 400;
    private static final int MAX_STEPS_TO_REST = 20_000;
    private static final List<String> SESSIONS = List.of("a", "b", "c");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_a_listener_took_is_the_session_from_where_it_began(boolean ordered) {
        Long only = Long.getLong("holdfast.seed");
        for (long seed = only == null ? 0 : only; seed < (only == null ? HISTORIES : only + 1); seed++) {
            try {
                new History(seed, ordered).play();
            } catch (Throwable e) {
                throw new AssertionError(
                        "-Dholdfast.seed=%d %s".formatted(seed, ordered ? "in order" : "any order"), e);
            }
        }
    }

    /** One history. */
    private static final class History {
        private final Random random;
        private final SimServer server;
        private final SimNetwork network;
        private final ManualTimers timers;
        private final SessionClient client;
        private final Map<String, Follower> followers = new TreeMap<>();
        private final Map<String, Integer> left = new TreeMap<>();
        private final List<String> sent = new ArrayList<>();
        private final List<CompletableFuture<Boolean>> probes = new ArrayList<>();
        private final List<CompletableFuture<Receipt>> receipts = new ArrayList<>();

        /** What a listener was told that it should not have been; an exception of its own the client would take for a refusal. */
        private @Nullable String wrong;

        History(long seed, boolean ordered) {
            random = new Random(seed);
            timers = new ManualTimers(random);
            server = new SimServer(random);
            network = new SimNetwork(random, server, ordered);
            for (String session : SESSIONS) {
                server.sessions.put(session, new SimServer.History());
            }
            client = new SessionClient(
                    network,
                    ClientSettings.defaults()
                            .withTimers(timers)
                            .withRandom(new Random(seed))
                            .withExecutor(Runnable::run));
        }

        void play() {
            client.connect();
            for (int i = 0; i < STEPS; i++) {
                act();
                assertThat(wrong).as("what does not fit").isNull();
                assertThat(network.tooSoon).as("sent before its time").isNull();
            }
            rest();
            int lines = network.lines.size();
            client.close();
            network.lines.forEach(Line::haunt);
            timers.advance(Duration.ofMinutes(10));
            assertThat(network.lines).as("connections after the close").hasSize(lines);
        }

        private void act() {
            switch (random.nextInt(20)) {
                case 0, 1 -> append();
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        line().ifPresent(Line::cut);
                    }
                }
                case 3 -> pass();
                case 4 -> beginOrEnd();
                case 5 -> send();
                case 6 ->
                    network.lines.get(random.nextInt(network.lines.size())).haunt();
                case 7 -> line().ifPresent(Line::heartbeat);
                case 8 -> rarely();
                default -> line().ifPresent(Line::step);
            }
        }

        private void rarely() {
            switch (random.nextInt(8)) {
                case 0 -> client.reopen();
                case 1 -> probes.add(client.probe());
                case 2 -> {
                    SimServer.History history = session(random.nextInt(SESSIONS.size()));
                    history.trimmed = history.trimmed + random.nextInt(history.size - history.trimmed + 1);
                }
                default -> {}
            }
        }

        private SimServer.History session(int i) {
            return session(SESSIONS.get(i));
        }

        private SimServer.History session(String name) {
            return Objects.requireNonNull(server.sessions.get(name));
        }

        private Optional<Line> line() {
            return Optional.of(network.line());
        }

        private void append() {
            session(random.nextInt(SESSIONS.size())).size += 1 + random.nextInt(2);
        }

        private void pass() {
            timers.next().ifPresent(timers::advance);
        }

        private void beginOrEnd() {
            String session = SESSIONS.get(random.nextInt(SESSIONS.size()));
            Follower present = followers.get(session);
            if (present != null && random.nextInt(3) == 0) {
                present.watch().unwatch();
                drop(session, present);
            } else if (present == null) {
                begin(session);
            } else if (!present.watch().isActive()) {
                drop(session, present); // it threw too often
            }
        }

        private void begin(String session) {
            Integer known = left.get(session);
            Follower follower = new Follower(session, known == null ? -1 : known);
            followers.put(session, follower);
            follower.began = client.watch(session, known == null ? null : session + "~" + known + "~0", follower);
        }

        private void drop(String session, Follower follower) {
            follower.dropped = true;
            followers.remove(session);
            String cursor = follower.watch().cursor();
            if (cursor != null) {
                left.put(session, SimServer.position(cursor));
                assertThat(SimServer.position(cursor)).isEqualTo(follower.at);
            }
        }

        private void send() {
            if (sent.size() < 40) {
                String key = "turn-" + sent.size();
                sent.add(key);
                receipts.add(client.send("a", TurnDraft.text("hello").withId(key)));
            }
        }

        /** The network is kind again: everything arrives. */
        private void rest() {
            network.unkind = false;
            for (String session : SESSIONS) {
                if (!followers.containsKey(session)
                        || !followers.get(session).watch().isActive()) {
                    Follower old = followers.get(session);
                    if (old != null) {
                        drop(session, old);
                    }
                    begin(session);
                }
            }
            for (int i = 0; i < MAX_STEPS_TO_REST && !atRest(); i++) {
                if (!network.line().step()) {
                    network.line().heartbeat();
                    for (int n = 0; n < SESSIONS.size(); n++) {
                        session(n).size++; // so that a frame that was lost shows
                    }
                    pass();
                    while (network.line().step()) {
                        // all that is to be done without time
                    }
                }
            }
            assertThat(wrong).as("what does not fit").isNull();
            assertThat(client.state()).isInstanceOf(ClientState.Connected.class);
            followers.forEach((session, follower) ->
                    assertThat(follower.at).as("what was taken of %s", session).isEqualTo(session(session).size));
            assertThat(server.started).as("what was started").isEqualTo(sent);
            timers.advance(Prober.LIMIT);
            assertThat(probes).allMatch(CompletableFuture::isDone);
            assertThat(receipts).allSatisfy(receipt -> assertThat(receipt).isCompleted());
        }

        private boolean atRest() {
            return client.state() instanceof ClientState.Connected
                    && client.outbox().isEmpty()
                    && followers.entrySet().stream()
                            .allMatch(each -> each.getValue().at == session(each.getKey()).size);
        }

        /** Holds what it is told against the session as it is. */
        private final class Follower implements SessionListener {
            private final String session;
            private int at;
            private boolean dropped;
            private @Nullable Watch began;

            Follower(String session, int at) {
                this.session = session;
                this.at = at;
            }

            Watch watch() {
                return Objects.requireNonNull(began);
            }

            private void mayThrow() {
                check(!dropped, "told after its end");
                if (network.unkind && random.nextInt(15) == 0) {
                    throw new IllegalStateException("not now");
                }
            }

            @Override
            public void attached(Attached attached) {
                mayThrow();
                if (attached.answer() == Attached.Answer.SNAPSHOT) {
                    at = SimServer.position(attached.cursor());
                } else {
                    check(SimServer.position(attached.cursor()) == at, attached);
                }
            }

            @Override
            public void events(List<SessionEvent> events, String cursor) {
                mayThrow();
                for (SessionEvent event : events) {
                    check(Frames.name(event).equals(session + ":" + at), event);
                    at++;
                }
                check(SimServer.position(cursor) == at, cursor);
            }

            private void check(boolean right, Object what) {
                if (!right) {
                    wrong = "%s at %d of %s".formatted(what, at, session);
                }
            }
        }
    }
}
