package dev.holdfast.bench.sessions;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.session.SessionTransport;
import dev.holdfast.http.session.TransportSettings;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiMessageContents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The session transport on a store of its own, with many sessions that have a live turn each: a process of this class path. The turns' agents append a chunk
 * when the metronome says so, each durable before its agent goes on.
 */
public final class SessionServer {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "session-server";

    private static final String AGENT = "beat";

    private SessionServer() {}

    /** Serves until the process is killed. */
    public static void run(Path store, int sessions) throws IOException, InterruptedException {
        Metronome metronome = new Metronome(sessions);
        Holdfast holdfast = Holdfast.open(
                store,
                HoldfastSettings.defaults()
                        .withContents(new UiMessageContents())
                        .withTurns(TurnSettings.defaults()
                                .withAssembler(new UiMessageAssembler())
                                .withAgent(AGENT, turn -> beat(turn, metronome))));
        for (int i = 0; i < sessions; i++) {
            begin(holdfast, i);
        }
        HttpLimits limits = HttpLimits.defaults();
        Router.Builder routes = Router.builder();
        new SessionTransport(
                        holdfast, Authorizer.allowAll(), TransportSettings.of(SseSettings.defaults(), limits, AGENT))
                .addTo(routes);
        routes.add("POST", Metronome.PATH + "{asked}", call -> {
            Round round = metronome.begin(call.path("asked"));
            call.exchange().answer(200, new Headers(), round.text().getBytes(StandardCharsets.US_ASCII));
        });
        FrontDoor door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        JettyServer server = new JettyServer("127.0.0.1", 0, limits, door);
        server.start();
        System.out.println("Session server listening on http://127.0.0.1:" + server.port());
        System.out.flush();
        Thread.currentThread().join();
    }

    private static void begin(Holdfast holdfast, int index) {
        var unused = holdfast.sessions().create(Beat.session(index));
        var unusedTurn = holdfast.turns()
                .start(
                        Beat.session(index),
                        TurnRequest.answer(
                                Beat.turn(index),
                                AGENT,
                                MessageDraft.of(
                                        "question",
                                        "user",
                                        "{\"id\":\"question\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"What is the time?\"}]}"
                                                .getBytes(StandardCharsets.US_ASCII))));
    }

    private static AgentResult beat(TurnContext turn, Metronome metronome) throws InterruptedException {
        int session = Beat.index(turn.sessionId());
        turn.emit("{\"type\":\"start\",\"messageId\":\"%s\"}".formatted(turn.messageId()));
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        long number = 0;
        while (!turn.isStopped()) {
            Round round = metronome.await(number);
            for (int i = 0; i < round.chunks(); i++) {
                Metronome.sleepUntil(round.dueAt(session, i));
                turn.emit(List.of(Beat.chunk(number, System.nanoTime())));
                number++;
            }
        }
        return AgentResult.completed();
    }
}
