package dev.holdfast.verification.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.api.TurnRoutes;
import dev.holdfast.http.chat.ChatRoutes;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.session.SessionTransport;
import dev.holdfast.http.session.TransportSettings;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The chat wire, the session transport and the JSON API with the scene's agent on a real store and real sockets, what their clients ask of the test,
 * and beside it a server process, which they may have killed and started again.
 */
final class Scene implements AutoCloseable {

    /** The wire is there twice: at its usual path, and at one as an application may choose it. */
    private static final String OTHER_PATH = "/apps/support/talk";

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final SceneAgent agent = new SceneAgent();
    private final Holdfast holdfast;
    private final FrontDoor door;
    private final HttpListener listener;
    private final KillableServer server;

    Scene(Path scratch, Prop... props) throws IOException {
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAnswers(new UiToolAnswers())
                .withAgent("scene", agent);
        List<String> options = new ArrayList<>();
        for (Prop prop : props) {
            turns = prop.turns(turns);
            options.addAll(prop.serverOptions());
        }
        holdfast = Holdfast.open(
                scratch.resolve("scene"), HoldfastSettings.defaults().withTurns(turns));
        HttpLimits limits = HttpLimits.defaults();
        Router.Builder routes = Router.builder();
        for (String path : List.of(ChatSettings.DEFAULT_PATH, OTHER_PATH)) {
            ChatSettings settings = new ChatSettings(path, ChatSettings.DEFAULT_MAJOR, "scene");
            new ChatRoutes(holdfast, Authorizer.allowAll(), SseSettings.defaults(), limits, settings).addTo(routes);
        }
        SseSettings events = SseSettings.defaults();
        new SessionRoutes(holdfast, Authorizer.allowAll()).addTo(routes);
        new TurnRoutes(holdfast, Authorizer.allowAll(), events, limits, "scene").addTo(routes);
        new SessionTransport(holdfast, Authorizer.allowAll(), TransportSettings.of(events, limits, "scene"))
                .addTo(routes);
        routes.add("POST", "/test/release", call -> {
            agent.release();
            Answers.empty(call.exchange(), 204, new Headers());
        });
        server = new KillableServer(scratch, () -> withOrigin(options));
        server.addTo(routes);
        for (Prop prop : props) {
            prop.addTo(routes);
        }
        door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        listener = new JettyServer("127.0.0.1", 0, limits, door);
        listener.start();
    }

    /** Pages of the scene may call the server process. */
    private List<String> withOrigin(List<String> options) {
        return Stream.concat(options.stream(), Stream.of("--allow-origin", uri().toString()))
                .toList();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    @Override
    public void close() {
        door.open().abortAll();
        try {
            door.open().awaitNone(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.close();
        holdfast.close();
        server.close();
    }
}
