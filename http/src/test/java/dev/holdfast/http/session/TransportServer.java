package dev.holdfast.http.session;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Action;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The session transport on a real store and real sockets, with agents that do as they are told: what {@link Orders} act on, in whichever process. */
final class TransportServer implements AutoCloseable {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final Duration RETRY = Duration.ofSeconds(2);

    final LinedAgent agent = new LinedAgent();
    final MovedTime time = new MovedTime();
    final Set<String> forbidden = ConcurrentHashMap.newKeySet();
    final Holdfast holdfast;
    final SessionTransport transport;
    final RunningServer server;

    TransportServer(Path folder, Plan plan) throws IOException {
        HoldfastSettings settings = HoldfastSettings.defaults()
                .withTurns(TurnSettings.defaults()
                        .withAssembler(new UiMessageAssembler())
                        .withAnswers(new UiToolAnswers())
                        .withAgent("asking", new AskingAgent())
                        .withAgent("chance", new ChanceAgent())
                        .withAgent("default", agent));
        if (plan.feedRetained() > 0) {
            settings = settings.withSessions(SessionLimits.defaults().withFeedRetained(plan.feedRetained()));
        }
        HttpLimits limits = HttpLimits.defaults();
        if (plan.maxExchanges() > 0) {
            limits = limits.withMaxExchanges(plan.maxExchanges());
        }
        ApiKeys keys = plan.keys().isEmpty() ? ApiKeys.none() : ApiKeys.of(Holdfast.DEFAULT_TENANT, plan.keys());
        Trust trust = new Trust(Holdfast.DEFAULT_TENANT, keys, Set.of(), Set.of());
        holdfast = Holdfast.open(folder, settings);
        transport = new SessionTransport(holdfast, this::authorize, settings(plan, limits));
        server = RunningServer.start(
                routes -> {
                    new SessionRoutes(holdfast, this::authorize).addTo(routes);
                    transport.addTo(routes);
                },
                trust,
                limits);
    }

    private TransportSettings settings(Plan plan, HttpLimits limits) {
        BootContext boot = switch (plan.boot()) {
            case SILENT -> BootContext.stored();
            case COMPUTES -> session -> Optional.of("{\"for\":\"" + session.id() + "\"}");
            case FAILS ->
                session -> {
                    throw new IllegalStateException("no database today");
                };
        };
        TransportSettings settings = switch (plan.clock()) {
            case MACHINE -> TransportSettings.of(SseSettings.defaults().withHeartbeat(SHORT), limits, "default");
            case TEST ->
                new TransportSettings(
                        new SseSettings(HEARTBEAT, RETRY, Duration.ofMillis(plan.rotateMillis()), time),
                        limits,
                        "default",
                        TransportLimits.SUSPEND_GRACE,
                        time,
                        boot);
        };
        return settings.withBoot(boot);
    }

    private void authorize(Principal principal, Action action, Resource resource) {
        if (action == Action.READ
                && resource instanceof Resource.OneSession session
                && forbidden.contains(session.id())) {
            throw new NotAuthorized("Not for you.");
        }
    }

    @Override
    public void close() {
        server.close();
        holdfast.close();
    }
}
