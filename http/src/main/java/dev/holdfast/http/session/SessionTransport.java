package dev.holdfast.http.session;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Handshake;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.http.Upgrade;
import dev.holdfast.store.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * The session transport: many sessions over one connection, which may break at any moment and is taken up again by cursors
 * (docs/wires/session.md). A connection stops and starts nothing by coming or going (DISCONNECT-IS-NOT-STOP, G9). Thread-safe.
 */
public final class SessionTransport {

    public static final String PATH = "/api/v1/connect";

    /** The subprotocol of its WebSockets. */
    public static final String SUBPROTOCOL = "holdfast.v1";

    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_-]{1," + TransportLimits.MAX_DEVICE_CHARS + "}");

    private final Transport transport;
    private final Commands commands;
    private final FarConnections far;

    public SessionTransport(Holdfast holdfast, Authorizer authorizer, TransportSettings settings) {
        this.transport = new Transport(holdfast, authorizer, settings);
        this.commands = new Commands(transport);
        this.far = new FarConnections(holdfast.peers(), this::runHere);
        Runnable unused =
                holdfast.peers().onChange(() -> transport.connections().endThose(far::isOfAnotherNode));
    }

    public void addTo(Router.Builder routes) {
        routes.addUpgrading("GET", PATH, this::connect);
        routes.add("POST", PATH + "/{connection}", this::command);
        new BootRoutes(transport).addTo(routes);
    }

    /** How many connections are open. */
    public int connections() {
        return transport.connections().count();
    }

    /** How many sessions someone watches. */
    public int watchedSessions() {
        return transport.connections().watchedSessions();
    }

    /**
     * Tells every client, and those that still come, to come back a little later, and ends their connections. Returns once all have ended, or after
     * this time, since some may take nothing.
     */
    public void drain(Duration patience) throws InterruptedException {
        transport.connections().drain(patience);
    }

    private void connect(Call call) throws IOException, InterruptedException {
        int exchanges = transport.settings().limits().maxExchanges();
        if (connections() >= (long) exchanges * TransportLimits.MAX_SHARE_OF_EXCHANGES / 100) {
            throw HttpProblem.tooManyExchanges(exchanges); // or those who are connected could not send any more
        }
        String id = newId();
        String device =
                call.query().text("device").map(SessionTransport::device).orElse(id);
        if (Handshake.isAsked(call.exchange().head())) {
            upgrade(call, id, device);
            return;
        }
        Outlet out = SseOutlet.open(call.exchange(), transport.settings().events());
        Connection connection = new Connection(transport, id, call.principal(), device, call.exchange(), out);
        begin(connection, out);
        call.exchange().goOnApart(connection);
    }

    private void upgrade(Call call, String id, String device) throws IOException, InterruptedException {
        String protocol = Handshake.choose(call.exchange().head(), List.of(SUBPROTOCOL))
                .orElseThrow(() -> HttpProblem.badRequest(
                        "Offer the subprotocol \"%s\" (Sec-WebSocket-Protocol).".formatted(SUBPROTOCOL)));
        int mostBytes = transport.settings().limits().maxBodyBytes();
        call.exchange().upgrade(new Upgrade(protocol, mostBytes, (socket, wake) -> {
            Outlet out = new SocketOutlet(socket);
            Connection connection = new Connection(transport, id, call.principal(), device, call.exchange(), out);
            begin(connection, out);
            return new SocketConnection(connection, commands, socket);
        }));
    }

    private void begin(Connection connection, Outlet out) throws IOException {
        transport.connections().enter(connection); // before the client knows it: its first command may be quick
        boolean begun = false;
        try {
            out.add(Frames.welcome(connection.id(), transport.settings()));
            boolean unused = out.flush();
            begun = true;
        } finally {
            if (!begun) {
                connection.close();
            }
        }
    }

    private void command(Call call) throws IOException {
        String id = call.path("connection");
        int mostBytes = transport.settings().limits().maxBodyBytes();
        Optional<Connection> here = transport.connections().find(id);
        if (here.isEmpty()) {
            ObjectNode body = Bodies.readObject(call.exchange(), mostBytes);
            ObjectNode reply = far.run(call.principal(), id, body).orElseThrow(Commands::unknownConnection);
            Answers.json(call.exchange(), reply.get("status").intValue(), reply);
            return;
        }
        Connection connection = checked(call.principal(), here.get());
        ObjectNode body = Bodies.readObject(call.exchange(), mostBytes);
        ObjectNode reply = commands.run(connection, body);
        Answers.json(call.exchange(), reply.get("status").intValue(), reply);
        connection.answered();
    }

    /** A command that came to another node. */
    private ObjectNode runHere(Principal principal, String id, ObjectNode body) {
        Connection connection =
                checked(principal, transport.connections().find(id).orElseThrow(Commands::unknownConnection));
        ObjectNode reply = commands.run(connection, body);
        connection.answered();
        return reply;
    }

    /** The connection, for the one who opened it. */
    private static Connection checked(Principal principal, Connection connection) {
        if (!connection.principal().equals(principal)) {
            throw HttpProblem.forbidden("not-your-connection", "Another key opened this connection. Open your own.");
        }
        return connection;
    }

    private String newId() {
        Time random = transport.settings().events().time();
        return far.newId(random.randomLong(), random.randomLong());
    }

    private static String device(String given) {
        if (!DEVICE.matcher(given).matches()) {
            throw HttpProblem.badRequest("\"device\" is 1 to %d characters of A-Z, a-z, 0-9, _ and -."
                    .formatted(TransportLimits.MAX_DEVICE_CHARS));
        }
        return given;
    }
}
