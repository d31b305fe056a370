package dev.holdfast.verification.session;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.session.SessionTransport;
import dev.holdfast.http.session.TransportSettings;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A server whose agent asks in every turn whether it may pay, and says what it was answered. */
final class PaymentsMain {

    private static final String AGENT = "payments";

    private static final List<String> QUESTION = List.of(
            "{\"type\":\"start-step\"}",
            "{\"type\":\"tool-input-available\",\"toolCallId\":\"pay-1\",\"toolName\":\"pay\",\"input\":{}}",
            "{\"type\":\"tool-approval-request\",\"approvalId\":\"approval-1\",\"toolCallId\":\"pay-1\"}",
            "{\"type\":\"finish-step\"}");

    private PaymentsMain() {}

    /** Arguments: the folder of the store, and the origin whose pages may call. */
    public static void main(String[] arguments) throws Exception {
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAnswers(new UiToolAnswers())
                .withAgent(AGENT, new Payments());
        Holdfast holdfast =
                Holdfast.open(Path.of(arguments[0]), HoldfastSettings.defaults().withTurns(turns));
        HttpLimits limits = HttpLimits.defaults();
        SseSettings events = SseSettings.defaults();
        Router.Builder routes = Router.builder();
        new SessionRoutes(holdfast, Authorizer.allowAll()).addTo(routes);
        new SessionTransport(holdfast, Authorizer.allowAll(), TransportSettings.of(events, limits, AGENT))
                .addTo(routes);
        Trust trust = new Trust(Holdfast.DEFAULT_TENANT, ApiKeys.none(), Set.of(), Set.of(arguments[1]));
        JettyServer server = new JettyServer("127.0.0.1", 0, limits, new FrontDoor(routes.build(), trust, limits));
        server.start();
        System.out.println("http://127.0.0.1:" + server.port());
        new CountDownLatch(1).await();
    }

    private static final class Payments implements Agent {
        @Override
        public AgentResult run(TurnContext turn) {
            turn.emit("{\"type\":\"start\",\"messageId\":\"%s\"}".formatted(turn.messageId()));
            if (turn.written().isEmpty()) {
                QUESTION.forEach(turn::emit);
                return AgentResult.awaiting("an approval");
            }
            boolean approved = turn.written().get().text().contains("\"approved\":true");
            turn.emit("{\"type\":\"start-step\"}");
            turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"%s\"}"
                    .formatted(approved ? "Paid." : "Not paid."));
            turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
            turn.emit("{\"type\":\"finish-step\"}");
            turn.emit("{\"type\":\"finish\",\"finishReason\":\"stop\"}");
            return AgentResult.completed();
        }
    }
}
