package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.server.StartFailures.StartFailure;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A start that fails costs nothing and leaves nothing open. */
final class StartTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private final Counting agent = new Counting();

    /** Counts how often it was started, and never ends. */
    private static final class Counting implements Agent {
        final AtomicInteger starts = new AtomicInteger();

        @Override
        public AgentResult run(TurnContext turn) throws InterruptedException {
            starts.incrementAndGet();
            new CountDownLatch(1).await();
            return AgentResult.completed();
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    private ServerSettings settings(int port) {
        return Parsed.settings("--port", "" + port, "--data", data().toString(), "--drain-grace", "0");
    }

    private TurnSettings turns() {
        return TurnSettings.defaults().withAssembler(new UiMessageAssembler()).withAgent(Agents.DEFAULT, agent);
    }

    /** Leaves a turn behind that the next open of the store takes up. */
    private void leaveATurn() {
        byte[] question = "{\"id\":\"m\",\"role\":\"user\",\"parts\":[]}".getBytes(StandardCharsets.UTF_8);
        try (Holdfast holdfast =
                Holdfast.open(data(), HoldfastSettings.defaults().withTurns(turns()))) {
            holdfast.sessions().create("s");
            holdfast.turns()
                    .start("s", TurnRequest.answer("t", Agents.DEFAULT, MessageDraft.of("m", "user", question)));
            awaitStarts(1);
        }
    }

    private void awaitStarts(int wanted) {
        await().atMost(PATIENCE).until(() -> agent.starts.get() == wanted);
    }

    @Test
    void a_port_in_use_asks_no_model_and_leaves_the_lost_turn_to_the_next_start() throws Exception {
        leaveATurn();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> HoldfastServer.start(settings(taken.getLocalPort()), turns()))
                    .isInstanceOf(StartFailure.class)
                    .hasMessageContaining("in use");
        }
        assertThat(agent.starts).hasValue(1);
        try (HoldfastServer server = HoldfastServer.start(settings(0), turns())) {
            assertThat(server.uri().getPort()).isPositive();
            awaitStarts(2);
        }
    }

    /** Where a start goes wrong. */
    enum Step {
        MAKE,
        BIND,
        START
    }

    /** A listener that fails at one step. */
    private static final class Failing implements HttpListener {
        private final HttpListener listener;
        private final Step step;
        private boolean closed;

        Failing(HttpListener listener, Step step) {
            this.listener = listener;
            this.step = step;
        }

        private void fail(Step now) {
            if (step == now) {
                throw new IllegalStateException("injected at " + now);
            }
        }

        @Override
        public void bind() throws IOException {
            fail(Step.BIND);
            listener.bind();
        }

        @Override
        public void start() throws IOException {
            fail(Step.START);
            listener.start();
        }

        @Override
        public int port() {
            return listener.port();
        }

        @Override
        public void close() {
            closed = true;
            listener.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Step.class)
    void whatever_fails_nothing_stays_open(Step step) throws Exception {
        Failing[] made = new Failing[1];
        assertThatThrownBy(() -> HoldfastServer.start(settings(0), turns(), (host, port, limits, handler) -> {
                    made[0] = new Failing(new JettyServer(host, port, limits, handler), step);
                    made[0].fail(Step.MAKE);
                    return made[0];
                }))
                .hasMessage("injected at " + step);
        assertThat(made[0].closed).isEqualTo(step != Step.MAKE);
        Holdfast.open(data()).close(); // which is refused while anyone has it open
    }

    @Test
    void a_data_folder_that_is_none_gives_the_port_back() throws Exception {
        Files.writeString(data(), "a file is in its place");
        Failing[] made = new Failing[1];
        assertThatThrownBy(() -> HoldfastServer.start(settings(0), turns(), (host, port, limits, handler) -> {
                    made[0] = new Failing(new JettyServer(host, port, limits, handler), Step.START);
                    return made[0];
                }))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("is no folder");
        assertThat(made[0].closed).isTrue();
    }
}
