package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.NoExchange;
import dev.holdfast.http.session.Drivers.Standing;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Devices that come, go, hide, watch, send, take over and close at the same time, with pauses by chance: commands race with the writer, with one another, and with
 * the ends of connections, and whatever happens nothing stays behind and nobody shares a seat.
 */
@InProcess(
        "Commands race with the writer and the ends of connections at intervals that sockets would even out; seats are looked at when all is over")
final class ComingAndGoingTest {

    private static final int ROUNDS = 250;
    private static final List<String> SESSIONS = List.of("a", "b", "c");
    private static final List<String> DEVICES = List.of("phone", "desk", "tablet", "phone");
    private static final int COMMANDS = 8;
    private static final long MAX_PAUSE_NANOS = 200_000;

    @TempDir
    private Path folder;

    private Holdfast holdfast;
    private Transport transport;
    private Commands commands;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults()
                        .withTurns(TurnSettings.defaults()
                                .withAssembler(new UiMessageAssembler())
                                .withAgent("quick", turn -> AgentResult.completed())));
        transport = new Transport(
                holdfast,
                Authorizer.allowAll(),
                TransportSettings.of(
                                SseSettings.defaults().withHeartbeat(Duration.ZERO), HttpLimits.defaults(), "quick")
                        .withSuspendGrace(Duration.ofNanos(1)));
        commands = new Commands(transport);
        SESSIONS.forEach(holdfast.sessions()::create);
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void nothing_of_a_connection_stays_and_a_seat_has_one_driver_M52_M58_M66_M69() throws Exception {
        long seed = System.nanoTime();
        SplittableRandom seeds = new SplittableRandom(seed);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<?>> devices = new ArrayList<>();
                for (String device : DEVICES) {
                    SplittableRandom random = seeds.split();
                    int number = round;
                    devices.add(threads.submit(() -> {
                        new Device(device, number, random, threads).live();
                        return null;
                    }));
                }
                for (Future<?> device : devices) {
                    device.get();
                }
                assertThat(transport.connections().count()).isZero();
                assertThat(transport.connections().watchedSessions()).isZero();
                assertSeatsAreVacant();
            }
        } catch (AssertionError | ExecutionException e) {
            throw new AssertionError("With seed " + seed, e);
        }
    }

    /** Whoever reconnects now gets every seat that was ever taken, at once, and leaves it. */
    private void assertSeatsAreVacant() {
        Connection late = connection("late", new Quiet(Integer.MAX_VALUE));
        for (String session : SESSIONS) {
            SessionKey key = new SessionKey("default", session);
            assertThat(transport.connections().standing(key, late)).isEqualTo(Standing.NONE);
            transport.connections().driveAgain(key, late);
        }
        late.close();
        assertThat(late.seats()).isEmpty();
    }

    private Connection connection(String device, Outlet out) {
        Connection connection = new Connection(
                transport,
                "conn-" + holdfast.hashCode() + "-" + System.nanoTime(),
                Principal.anonymous("default"),
                device,
                new NoExchange(),
                out);
        transport.connections().enter(connection);
        return connection;
    }

    /** A client that takes so many frames and then is gone. */
    private static final class Quiet implements Outlet {
        private int left;

        Quiet(int frames) {
            this.left = frames;
        }

        @Override
        public void add(byte[] json) throws IOException {
            if (left-- <= 0) {
                throw new IOException("gone");
            }
        }

        @Override
        public boolean flush() {
            return true;
        }
    }

    /** One device: a connection whose commands come from one thread and whose writer is another. */
    private final class Device {
        private final String name;
        private final int round;
        private final SplittableRandom random;
        private final ExecutorService threads;

        Device(String name, int round, SplittableRandom random, ExecutorService threads) {
            this.name = name;
            this.round = round;
            this.random = random;
            this.threads = threads;
        }

        void live() throws Exception {
            Connection connection = connection(name, new Quiet(1 + random.nextInt(20)));
            Future<?> writer = threads.submit(() -> {
                new NoExchange().goOnApart(connection);
                return null;
            });
            for (int i = 0; i < COMMANDS; i++) {
                pause();
                Optional<HttpProblem> refused = run(connection, command(i));
                if (refused.isPresent()) {
                    assertThat(refused.get().problem().type()).isEqualTo("connection-not-found");
                    break; // it was cut meanwhile
                }
            }
            Optional<HttpProblem> unused = run(connection, Wire.command("bye"));
            try {
                writer.get();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(IOException.class);
            }
            assertThat(connection.isClosed()).isTrue();
            assertThat(connection.seats()).isEmpty();
        }

        private Optional<HttpProblem> run(Connection connection, ObjectNode command) {
            try {
                ObjectNode unused = commands.run(connection, command);
                connection.answered();
                return Optional.empty();
            } catch (HttpProblem e) {
                return Optional.of(e);
            }
        }

        private ObjectNode command(int number) {
            String session = SESSIONS.get(random.nextInt(SESSIONS.size()));
            return switch (random.nextInt(9)) {
                case 0 -> {
                    ObjectNode all = Wire.command("reconnect");
                    ArrayNode sessions = all.putArray("sessions");
                    SESSIONS.forEach(each -> sessions.addObject().put("session", each));
                    yield all;
                }
                case 1 -> Wire.watching(session, null);
                case 2 -> Wire.command("unwatch").put("session", session);
                case 3 -> Wire.command("switch").put("session", random.nextBoolean() ? session : null);
                case 4 -> Wire.command("suspend");
                case 5 -> Wire.command("resume");
                case 6 -> Wire.command("close").put("session", session);
                case 7 -> Wire.command("probe").put("nonce", "n");
                default -> Wire.sending(session, name + hashCode() + "-" + round + "-" + number);
            };
        }

        private void pause() {
            if (random.nextBoolean()) {
                LockSupport.parkNanos(random.nextLong(MAX_PAUSE_NANOS));
            }
        }
    }
}
