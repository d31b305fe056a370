package dev.holdfast.server;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.SeveralDatabases;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Router;
import dev.holdfast.http.admin.AdminRoutes;
import dev.holdfast.http.admin.ConsoleRoutes;
import dev.holdfast.http.admin.Health;
import dev.holdfast.http.admin.Site;
import dev.holdfast.http.api.AttachmentRoutes;
import dev.holdfast.http.api.BranchRoutes;
import dev.holdfast.http.api.ExportRoutes;
import dev.holdfast.http.api.FeedRoutes;
import dev.holdfast.http.api.OverlayRoutes;
import dev.holdfast.http.api.SearchRoutes;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.api.StreamRoutes;
import dev.holdfast.http.api.TitleRoutes;
import dev.holdfast.http.api.TurnRoutes;
import dev.holdfast.http.chat.ChatRoutes;
import dev.holdfast.http.durablestreams.DurableStreams;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionRoutes;
import dev.holdfast.http.durablestreams.subscriptions.Subscriptions;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.session.SessionTransport;
import dev.holdfast.http.session.TransportSettings;
import dev.holdfast.server.ServerSettings.Database;
import dev.holdfast.server.StartFailures.StartFailure;
import dev.holdfast.store.postgres.PostgresDatabase;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageContents;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts put together, in the order in which they start, and taken apart in the opposite one: the address, the store, the agents, the wires,
 * and only then who comes to the address. A start that fails because the address is taken has asked no model and used up no attempt of a turn;
 * whatever fails, nothing stays open.
 */
final class HoldfastServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HoldfastServer.class);

    /** How long a request that was cut may take to notice. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    /** Whoever has a key may do everything in the one tenant. */
    private static final Authorizer AUTHORIZER = Authorizer.allowAll();

    /** Where the module {@code web} has its files. */
    private static final String WEB_APP = "dev/holdfast/web";

    private final ServerSettings settings;
    private final Engine engine;
    private final Holdfast holdfast;
    private final Subscriptions subscriptions;
    private final SessionTransport transport;
    private final Health health;
    private final FrontDoor door;
    private final HttpListener listener;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    private HoldfastServer(ServerSettings settings, Engine engine, Subscriptions subscriptions, HttpListener listener) {
        this.settings = settings;
        this.engine = engine;
        this.holdfast = engine.holdfast();
        this.subscriptions = subscriptions;
        this.health = new Health(holdfast);
        this.transport = new SessionTransport(
                holdfast, AUTHORIZER, TransportSettings.of(settings.events(), settings.limits(), Agents.DEFAULT));
        this.door = new FrontDoor(routes(), settings.trust(), settings.limits());
        this.listener = listener;
    }

    static HoldfastServer start(ServerSettings settings) throws StartFailure {
        return start(settings, Agents.of(settings));
    }

    static HoldfastServer start(ServerSettings settings, TurnSettings agents) throws StartFailure {
        return start(settings, agents, JettyServer::new);
    }

    static HoldfastServer start(ServerSettings settings, TurnSettings agents, HttpListener.Factory listeners)
            throws StartFailure {
        try (Opening opening = new Opening()) {
            Doorway doorway = new Doorway();
            HttpListener listener = listeners.listen(settings.host(), settings.port(), settings.limits(), doorway);
            opening.opened(listener::close);
            listener.bind();
            Engine engine = open(
                    settings,
                    HoldfastSettings.defaults()
                            .withContents(new UiMessageContents())
                            .withTurns(agents),
                    opening);
            Holdfast holdfast = engine.holdfast();
            Subscriptions subscriptions = Subscriptions.open(holdfast, settings.subscriptions());
            opening.opened(subscriptions::close);
            HoldfastServer server = new HoldfastServer(settings, engine, subscriptions, listener);
            doorway.hang(server.door);
            listener.start();
            opening.done();
            return server;
        } catch (IOException e) {
            throw StartFailures.cannotListen(settings.host(), settings.port(), e);
        }
    }

    /** Opens the store in the folder, or joins the cluster of the database. */
    private static Engine open(ServerSettings settings, HoldfastSettings engines, Opening opening) throws StartFailure {
        Runnable closeDatabase = () -> {};
        Holdfast holdfast;
        if (settings.database().isEmpty()) {
            holdfast = Holdfast.open(DataFolder.prepare(settings.data()), engines);
        } else {
            Database wanted = settings.database().get();
            List<PostgresDatabase> databases = new ArrayList<>();
            closeDatabase = () -> databases.forEach(PostgresDatabase::close);
            opening.opened(closeDatabase);
            List<Coordination> coordinations = new ArrayList<>();
            for (PostgresSettings each : wanted.postgres()) {
                PostgresDatabase database = PostgresDatabase.open(each);
                databases.add(database);
                coordinations.add(database.coordination(wanted.coordination()));
            }
            Coordination coordination = coordinations.size() == 1
                    ? coordinations.getFirst()
                    : new SeveralDatabases(coordinations, wanted.coordination().lease());
            holdfast = Holdfast.join(coordination, engines, wanted.node());
        }
        opening.opened(holdfast::close);
        return new Engine(holdfast, closeDatabase);
    }

    /** What the wires serve, and what it stands on. */
    private record Engine(Holdfast holdfast, Runnable closeDatabase) {
        void close() {
            try {
                holdfast.close();
            } finally {
                closeDatabase.run();
            }
        }
    }

    private Router routes() {
        Authorizer authorizer = AUTHORIZER;
        Router.Builder routes = Router.builder();
        Optional<Site> site = Site.find(
                HoldfastServer.class.getClassLoader(), WEB_APP, settings.trust().origins());
        new AdminRoutes(health, Version.current(), site).addTo(routes);
        new ConsoleRoutes(holdfast, authorizer, figures()).addTo(routes);
        new SessionRoutes(holdfast, authorizer).addTo(routes);
        new OverlayRoutes(holdfast, authorizer).addTo(routes);
        new BranchRoutes(holdfast, authorizer).addTo(routes);
        new AttachmentRoutes(holdfast, authorizer).addTo(routes);
        new SearchRoutes(holdfast, authorizer).addTo(routes);
        new TitleRoutes(holdfast, authorizer).addTo(routes);
        new ExportRoutes(holdfast, authorizer, settings.streamWire().proxy()).addTo(routes);
        new TurnRoutes(holdfast, authorizer, settings.events(), settings.limits(), Agents.DEFAULT).addTo(routes);
        new FeedRoutes(holdfast, authorizer, settings.events()).addTo(routes);
        new StreamRoutes(holdfast, authorizer, settings.events()).addTo(routes);
        SubscriptionRoutes reserved = new SubscriptionRoutes(subscriptions, authorizer);
        routes.mount(new DurableStreams(holdfast, authorizer, settings.streamWire(), reserved));
        transport.addTo(routes);
        new ChatRoutes(holdfast, authorizer, settings.events(), settings.limits(), settings.chat()).addTo(routes);
        return routes.build();
    }

    private ProcessFigures figures() {
        Optional<Path> data = settings.database().isEmpty() ? Optional.of(settings.data()) : Optional.empty();
        return new ProcessFigures(transport, data);
    }

    URI uri() {
        String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
        return URI.create("http://" + host + ":" + listener.port());
    }

    void awaitEnd() throws InterruptedException {
        closed.await();
    }

    /**
     * Ends gracefully: no new turns; those that run may finish within the grace, the rest goes on after the next start; then every open
     * connection is cut, so that its client comes back instead of taking the end for the end of the answer.
     */
    void drainAndClose() {
        if (closing.compareAndSet(false, true)) {
            LOG.info("Draining for at most {}", settings.drainGrace());
            health.drain();
            holdfast.drain(settings.drainGrace());
            cutConnections();
            listener.close();
            subscriptions.close();
            engine.close();
            LOG.info("Closed");
            closed.countDown();
        }
    }

    private void cutConnections() {
        try {
            try {
                transport.drain(LAST_WORDS);
            } finally {
                door.open().abortAll();
            }
            door.open().awaitNone(LAST_WORDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As {@link #drainAndClose()}; for tests and embedders. */
    @Override
    public void close() {
        drainAndClose();
    }
}
