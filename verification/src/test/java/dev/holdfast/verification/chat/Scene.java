package dev.holdfast.verification.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.chat.ChatRoutes;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The chat wire with the scene's agent on a real store and real sockets, what its clients ask of the test, and beside it a server process with
 * the demo's agent, which they may have killed and started again.
 */
final class Scene implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Path scratch;
    private final SceneAgent agent = new SceneAgent();
    private final Holdfast holdfast;
    private final FrontDoor door;
    private final HttpListener listener;
    private @Nullable ServerProcess server;
    private int port;

    Scene(Path scratch) throws IOException {
        this.scratch = scratch;
        holdfast = Holdfast.open(
                scratch.resolve("scene"),
                HoldfastSettings.defaults()
                        .withTurns(TurnSettings.defaults()
                                .withAssembler(new UiMessageAssembler())
                                .withAnswers(new UiToolAnswers())
                                .withAgent("scene", agent)));
        HttpLimits limits = HttpLimits.defaults();
        Router.Builder routes = Router.builder();
        new ChatRoutes(holdfast, Authorizer.allowAll(), SseSettings.defaults(), limits, ChatSettings.of("scene"))
                .addTo(routes);
        routes.add("POST", "/test/release", call -> {
            agent.release();
            Answers.empty(call.exchange(), 204, new Headers());
        });
        routes.add("POST", "/test/server/start", this::startServer);
        routes.add("POST", "/test/server/kill", this::killServer);
        door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        listener = new JettyServer("127.0.0.1", 0, limits, door);
        listener.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    private synchronized void startServer(Call call) throws IOException {
        ServerProcess started = ServerProcess.start(scratch, scratch.resolve("server"), port);
        server = started;
        port = started.uri().getPort();
        byte[] uri = started.uri().toString().getBytes(StandardCharsets.UTF_8);
        call.exchange().answer(200, new Headers().set("Content-Type", "text/plain"), uri);
    }

    private synchronized void killServer(Call call) {
        ServerProcess running = server;
        if (running != null) {
            running.kill();
            running.close();
            server = null;
        }
        Answers.empty(call.exchange(), 204, new Headers());
    }

    @Override
    public synchronized void close() {
        door.open().abortAll();
        try {
            door.open().awaitNone(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.close();
        holdfast.close();
        if (server != null) {
            server.close();
        }
    }
}
