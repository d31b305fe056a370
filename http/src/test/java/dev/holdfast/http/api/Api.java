package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import dev.holdfast.http.admin.AdminRoutes;
import dev.holdfast.http.admin.Health;
import dev.holdfast.http.servlet.Binding;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiMessageContents;
import dev.holdfast.uimessage.UiToolAnswers;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/** The whole API on a real store and real sockets, with agents that do as the test says. */
final class Api implements AutoCloseable {

    final ScriptedAgent agent = new ScriptedAgent(false);
    final ScriptedAgent asking = new ScriptedAgent(true);
    final Holdfast holdfast;
    final Health health;
    final RunningServer server;

    Api(Path folder) throws IOException {
        this(folder, Binding.JETTY);
    }

    Api(Path folder, Binding binding) throws IOException {
        this(folder, SseSettings.defaults(), Authorizer.allowAll(), binding);
    }

    Api(Path folder, SseSettings events, Authorizer authorizer) throws IOException {
        this(folder, events, authorizer, Binding.JETTY);
    }

    private Api(Path folder, SseSettings events, Authorizer authorizer, Binding binding) throws IOException {
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults()
                        .withContents(new UiMessageContents())
                        .withTurns(TurnSettings.defaults()
                                .withAssembler(new UiMessageAssembler())
                                .withAnswers(new UiToolAnswers())
                                .withAgent("tools", new ToolAgent())
                                .withAgent("default", agent)
                                .withAgent("asking", asking)));
        health = new Health(holdfast);
        HttpLimits limits = HttpLimits.defaults();
        server = RunningServer.start(
                routes -> addAll(routes, events, authorizer, limits),
                Trust.loopback("default"),
                limits,
                binding.factory(),
                binding.mount());
    }

    private void addAll(Router.Builder routes, SseSettings events, Authorizer authorizer, HttpLimits limits) {
        new AdminRoutes(health, "test").addTo(routes);
        new SessionRoutes(holdfast, authorizer).addTo(routes);
        new OverlayRoutes(holdfast, authorizer).addTo(routes);
        new BranchRoutes(holdfast, authorizer).addTo(routes);
        new AttachmentRoutes(holdfast, authorizer).addTo(routes);
        new SearchRoutes(holdfast, authorizer).addTo(routes);
        new TitleRoutes(holdfast, authorizer).addTo(routes);
        new ExportRoutes(holdfast, authorizer, ProxyHeaders.X_FORWARDED).addTo(routes);
        new TurnRoutes(holdfast, authorizer, events, limits, "default").addTo(routes);
        new FeedRoutes(holdfast, authorizer, events).addTo(routes);
        new StreamRoutes(holdfast, authorizer, events).addTo(routes);
    }

    static final String TURN = "/api/v1/sessions/s/turns/t";
    static final String EVENTS = TURN + "/events";

    /** Makes session {@code s} with a running turn {@code t}, and returns the answer to its start. */
    JsonNode startTurn(String agentName) throws IOException, InterruptedException {
        server.post("/api/v1/sessions", "{\"id\":\"s\"}");
        HttpResponse<String> answer = server.post("/api/v1/sessions/s/turns", body(agentName));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException(answer.body());
        }
        return json(answer);
    }

    static String body(String agentName) {
        return """
                {"id": "t", "agent": "%s", "message": {"id": "m", "text": "Hello"}}""".formatted(agentName);
    }

    static JsonNode json(HttpResponse<String> response) {
        return Json.MAPPER.readTree(response.body());
    }

    @Override
    public void close() {
        server.close();
        holdfast.close();
    }
}
