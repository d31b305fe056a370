package dev.holdfast.http.session;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The session transport on a real store and real sockets, with agents that do as the test says. */
final class Wire implements AutoCloseable {

    /** So that a client that vanished is noticed soon. */
    private static final Duration SHORT = Duration.ofMillis(200);

    final LinedAgent agent = new LinedAgent();
    final Holdfast holdfast;
    final RunningServer server;
    final SessionTransport transport;

    static Wire open(Path folder) throws IOException {
        return open(folder, settings -> settings);
    }

    static Wire open(Path folder, UnaryOperator<TransportSettings> change) throws IOException {
        return new Wire(folder, change, Authorizer.allowAll(), Trust.loopback("default"), HoldfastSettings.defaults());
    }

    static Wire guarded(Path folder, Authorizer authorizer, ApiKeys keys) throws IOException {
        Trust trust = new Trust("default", keys, Set.of(), Set.of());
        return new Wire(folder, settings -> settings, authorizer, trust, HoldfastSettings.defaults());
    }

    /** With limits of its own. */
    static Wire limited(Path folder, HttpLimits limits) throws IOException {
        return new Wire(
                folder,
                same -> same,
                Authorizer.allowAll(),
                Trust.loopback("default"),
                HoldfastSettings.defaults(),
                limits);
    }

    /** Keeps only so many events of each feed. */
    static Wire forgetful(Path folder, int events) throws IOException {
        HoldfastSettings settings = HoldfastSettings.defaults();
        SessionLimits limits = SessionLimits.defaults().withFeedRetained(events);
        return new Wire(
                folder, same -> same, Authorizer.allowAll(), Trust.loopback("default"), settings.withSessions(limits));
    }

    private Wire(
            Path folder,
            UnaryOperator<TransportSettings> change,
            Authorizer authorizer,
            Trust trust,
            HoldfastSettings settings)
            throws IOException {
        this(folder, change, authorizer, trust, settings, HttpLimits.defaults());
    }

    private Wire(
            Path folder,
            UnaryOperator<TransportSettings> change,
            Authorizer authorizer,
            Trust trust,
            HoldfastSettings settings,
            HttpLimits limits)
            throws IOException {
        holdfast = Holdfast.open(
                folder,
                settings.withTurns(TurnSettings.defaults()
                        .withAssembler(new UiMessageAssembler())
                        .withAnswers(new UiToolAnswers())
                        .withAgent("asking", new AskingAgent())
                        .withAgent("default", agent)));
        transport = new SessionTransport(
                holdfast,
                authorizer,
                change.apply(TransportSettings.of(SseSettings.defaults().withHeartbeat(SHORT), limits, "default")));
        server = RunningServer.start(
                routes -> {
                    new SessionRoutes(holdfast, authorizer).addTo(routes);
                    transport.addTo(routes);
                },
                trust,
                limits);
    }

    /** Opens a connection and reads its welcome. */
    Line connect(String... headers) throws IOException, InterruptedException {
        return SseLine.open(this, "", headers);
    }

    /** The same for a device of this name. */
    Line connectAs(String device) throws IOException, InterruptedException {
        return SseLine.open(this, "?device=" + device);
    }

    HttpResponse<String> post(String connection, String json, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = server.request(SessionTransport.PATH + "/" + connection)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.client().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** A send of a message, whose id is the turn's as well. */
    static ObjectNode sending(String session, String message) {
        ObjectNode command = command("send").put("session", session).put("create", true);
        command.putObject("turn").putObject("message").put("id", message).put("text", "Hello");
        return command;
    }

    static ObjectNode command(String type) {
        return Json.MAPPER.createObjectNode().put("type", type).put("id", "c");
    }

    static ObjectNode watching(String session, @Nullable String cursor) {
        return command("watch").put("session", session).put("cursor", cursor);
    }

    static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }

    @Override
    public void close() {
        server.close();
        holdfast.close();
    }
}
