package dev.holdfast.verification.web;

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
import dev.holdfast.http.admin.AdminRoutes;
import dev.holdfast.http.admin.Health;
import dev.holdfast.http.admin.Site;
import dev.holdfast.http.api.BranchRoutes;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.session.SessionTransport;
import dev.holdfast.http.session.TransportSettings;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/** The web app on a real store and real sockets, with a long conversation, and an agent that says very much at once when it is told to. */
final class LargeStage implements AutoCloseable {

    static final int MESSAGES = 5_000;
    static final int DELTAS = 20_000;

    private static final int DELTAS_AT_ONCE = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Semaphore floods = new Semaphore(0);
    private final Semaphore flooded = new Semaphore(0);
    private final Semaphore ends = new Semaphore(0);
    private final Holdfast holdfast;
    private final FrontDoor door;
    private final HttpListener listener;

    LargeStage(Path folder) throws IOException {
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAgent("default", turn -> {
                    turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
                    turn.emit(delta("The flood begins. "));
                    floods.acquire();
                    for (int i = 0; i < DELTAS; i += DELTAS_AT_ONCE) {
                        turn.emit(IntStream.range(i, i + DELTAS_AT_ONCE)
                                .mapToObj(number -> delta("w" + number + (number % 50 == 49 ? "\\n\\n" : " "))
                                        .getBytes(StandardCharsets.UTF_8))
                                .toList());
                    }
                    flooded.release();
                    ends.acquire();
                    turn.emit(delta("The flood is over."));
                    return AgentResult.completed();
                });
        holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns));
        Session session = holdfast.sessions().create("large");
        for (int i = 1; i <= MESSAGES; i++) {
            String text = "Message %d of %d.".formatted(i, MESSAGES);
            session.append(MessageDraft.of(
                    "m" + i, "user", UiMessage.ofUser("m" + i, text).toBytes()));
        }
        HttpLimits limits = HttpLimits.defaults();
        Authorizer everybody = Authorizer.allowAll();
        Router.Builder routes = Router.builder();
        new AdminRoutes(
                        new Health(holdfast),
                        "test",
                        Site.find(LargeStage.class.getClassLoader(), "dev/holdfast/web", Set.of()))
                .addTo(routes);
        new SessionRoutes(holdfast, everybody).addTo(routes);
        new BranchRoutes(holdfast, everybody).addTo(routes);
        new SessionTransport(holdfast, everybody, TransportSettings.of(SseSettings.defaults(), limits, "default"))
                .addTo(routes);
        routes.add("POST", "/test/flood", call -> {
            floods.release();
            flooded.acquire();
            Answers.empty(call.exchange(), 204, new Headers());
        });
        routes.add("POST", "/test/end", call -> {
            ends.release();
            Answers.empty(call.exchange(), 204, new Headers());
        });
        door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        listener = new JettyServer("127.0.0.1", 0, limits, door);
        listener.start();
    }

    private static String delta(String text) {
        return "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + text + "\"}";
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
    }
}
