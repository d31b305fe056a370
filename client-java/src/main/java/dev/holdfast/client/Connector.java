package dev.holdfast.client;

import dev.holdfast.client.ClientState.Reason;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import dev.holdfast.client.transport.Loss;
import dev.holdfast.client.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection's life: opening, syncing, connected, waiting, and again. Connected is only who was welcomed and whose reconnect succeeded; until then
 * nothing else is sent. Whatever goes wrong ends in a new link after a pause, never in an old one that goes on. Its state is guarded by the client's
 * monitor; methods are called under it unless they say otherwise.
 */
final class Connector implements Link.Owner {

    /** How long it may take from opening to the welcome. */
    static final Duration OPEN_LIMIT = Duration.ofSeconds(15);

    /** The longest pause that a server can ask for. */
    static final Duration MAX_PAUSE = Duration.ofMinutes(5);

    private static final int PROTOCOL = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

    private final Monitor monitor;
    private final Transport transport;
    private final Timers timers;
    private final RandomGenerator random;
    private final Pauses pauses;
    private final Announcer announcer;
    private final Calls calls;
    private final Ids ids;
    private final WatchTable watches;
    private final List<Part> parts;

    private ClientState state = new ClientState.Idle();
    private @Nullable Link link;
    /** Counts the welcomes: the answer to an older one's reconnect changes nothing (G6). */
    private long welcomes;

    private int failures;
    private final Alarm timer; // of the opening or the pause
    private final Alarm watchdog;
    private Duration patience = Duration.ZERO; // zero for endless
    private final Prober prober;

    Connector(
            Monitor monitor,
            Transport transport,
            ClientSettings settings,
            Calls calls,
            Ids ids,
            WatchTable watches,
            List<Part> others) {
        this.monitor = monitor;
        this.transport = transport;
        this.timers = settings.timers();
        this.random = settings.random();
        this.pauses = new Pauses(settings.shortestPause(), settings.longestPause());
        this.announcer = new Announcer(monitor, settings.executor(), settings.onState());
        this.calls = calls;
        this.ids = ids;
        this.watches = watches;
        this.parts = others;
        this.timer = new Alarm(monitor, timers);
        this.watchdog = new Alarm(monitor, timers);
        this.prober = new Prober(monitor, new Alarm(monitor, timers), calls, ids);
    }

    ClientState state() {
        return state;
    }

    boolean isCurrent(Link other) {
        return link == other && !(state instanceof ClientState.Closed);
    }

    /** Why nothing can be sent, as no link will come by itself; null otherwise. */
    @Nullable
    ClientException refusal() {
        return switch (state) {
            case ClientState.Closed closed -> new ClientException.Closed();
            case ClientState.Ended ended -> new ClientException.Ended(ended.why());
            default -> null;
        };
    }

    /** The link, if the client is connected. */
    @Nullable
    Link connectedLink() {
        return state instanceof ClientState.Connected ? link : null;
    }

    /** Opens a connection unless there is one or one is on its way. */
    void connect() {
        switch (state) {
            case ClientState.Closed closed -> throw new ClientException.Closed();
            case ClientState.Idle idle -> open();
            case ClientState.Ended ended -> {
                failures = 0;
                open();
            }
            case ClientState.Opening opening -> {}
            case ClientState.Syncing syncing -> {}
            case ClientState.Connected connected -> {}
            case ClientState.Waiting waiting -> {}
        }
    }

    private void become(ClientState next) {
        state = next;
        announcer.announce(next);
    }

    private void open() {
        Link opened = new Link(this, transport);
        link = opened;
        become(new ClientState.Opening());
        timer.set(
                OPEN_LIMIT,
                () -> lose(opened, "There was no welcome in %d seconds.".formatted(OPEN_LIMIT.toSeconds())));
        monitor.then(opened::open);
    }

    /** Takes a message of a link. Not under the monitor. */
    @Override
    public void received(Link from, ServerMessage message) {
        boolean heard = monitor.decide(() -> {
            if (!isCurrent(from)) {
                return false;
            }
            from.heardAt = timers.nanoTime();
            from.busy++;
            return true;
        });
        if (heard) {
            try {
                take(from, message);
            } finally {
                monitor.change(() -> {
                    from.busy--;
                    from.heardAt = timers.nanoTime();
                });
            }
        }
    }

    private void take(Link from, ServerMessage message) {
        switch (message) {
            case ServerMessage.Attached attached -> watches.attached(from, attached);
            case ServerMessage.Events events -> watches.events(from, events);
            case ServerMessage.Driver driver -> watches.driver(from, driver);
            case ServerMessage.Detached detached -> watches.detached(from, detached);
            case ServerMessage.Welcome welcome -> decide(from, () -> welcomed(from, welcome));
            case ServerMessage.Rotate rotate -> decide(from, () -> rotated(rotate));
            case ServerMessage.Goodbye goodbye -> decide(from, () -> dismissed(goodbye));
            case ServerMessage.Probe probe -> decide(from, () -> prober.answered(probe));
            case ServerMessage.Heartbeat heartbeat -> decide(from, this::progress);
            case ServerMessage.Reply reply -> {} // its transport hands it to who asked
            case ServerMessage.Unknown unknown -> LOG.debug("A message of type {} is passed over", unknown.type());
        }
    }

    private void decide(Link from, Runnable decision) {
        monitor.change(() -> {
            if (isCurrent(from)) {
                decision.run();
            }
        });
    }

    private void welcomed(Link from, ServerMessage.Welcome welcome) {
        if (welcome.protocol() != PROTOCOL) {
            end(new ClientState.Ended(
                    Reason.NO_SERVER,
                    "The server speaks protocol %d, this client %d; update the older one."
                            .formatted(welcome.protocol(), PROTOCOL)));
            return;
        }
        timer.stop();
        calls.abandonAll(); // of a welcome before, if there was one
        parts.forEach(part -> part.lost("The connection was begun anew."));
        watches.lost();
        welcomes++;
        patience = Duration.ofMillis(2 * Math.min(welcome.heartbeatMillis(), MAX_PAUSE.toMillis()));
        watch(from, patience);
        List<Position> positions = watches.beginReconnect();
        if (positions.isEmpty()) {
            connected(from, welcome.connection());
            return;
        }
        long present = welcomes;
        become(new ClientState.Syncing(welcome.connection()));
        calls.start(from, new ClientMessage.Reconnect(ids.next(), positions), end -> {
            if (isCurrent(from) && welcomes == present) {
                synced(from, welcome.connection(), end);
            }
        });
    }

    private void synced(Link from, String connection, Calls.End end) {
        switch (end) {
            case Calls.End.Unanswered none -> lose(from, none.why());
            case Calls.End.Answered(Reply reply)
            when reply.succeeded() -> {
                watches.reconnected(from, reply);
                connected(from, connection);
            }
            case Calls.End.Answered(Reply reply) ->
                lose(from, reply.problemOrStatus().detail());
        }
    }

    private void connected(Link from, String connection) {
        become(new ClientState.Connected(connection));
        watches.connected(from);
        parts.forEach(part -> part.connected(from));
    }

    /** Silence for as long as the link may be silent is a loss; while a message of it is being taken it is not silent. */
    private void watch(Link from, Duration pause) {
        watchdog.stop();
        if (!patience.isZero()) {
            watchdog.set(pause, () -> {
                Duration silence = Duration.ofNanos(from.busy > 0 ? 0 : timers.nanoTime() - from.heardAt);
                if (silence.compareTo(patience) >= 0) {
                    lose(from, "Nothing was heard for %d ms.".formatted(patience.toMillis()));
                } else {
                    watch(from, patience.minus(silence));
                }
            });
        }
    }

    /** Something got through, so the next loss is a first one. */
    void progress() {
        failures = 0;
    }

    private void rotated(ServerMessage.Rotate rotate) {
        long millis = Math.min(rotate.retryMillis(), MAX_PAUSE.toMillis());
        Duration pause = Duration.ofMillis(millis + random.nextLong(millis / 2 + 1));
        String why = rotate.reason() == ServerMessage.Rotate.RotateReason.DRAINING
                ? "The server ends."
                : "The server replaces the connection.";
        drop(why);
        Duration own = failures++ == 0 ? Duration.ZERO : pauses.jittered(failures - 2, random);
        pause(why, own.compareTo(pause) > 0 ? own : pause);
    }

    private void dismissed(ServerMessage.Goodbye goodbye) {
        LOG.debug("The server said goodbye: {}", goodbye.reason());
        end(new ClientState.Ended(Reason.LEFT, "The server said goodbye."));
    }

    /** A link says that it is lost. Not under the monitor. */
    @Override
    public void lost(Link from, Loss loss) {
        decide(from, () -> {
            switch (loss) {
                case Loss.Refused refused
                when passes(refused.status()) -> {
                    Duration asked = Objects.requireNonNullElse(refused.retryAfter(), Duration.ZERO);
                    drop(refused.why());
                    Duration own = nextPause();
                    pause(
                            refused.why(),
                            own.compareTo(asked) > 0 ? own : least(asked).plus(own));
                }
                case Loss.Refused refused ->
                    end(new ClientState.Ended(
                            refused.status() == 401 || refused.status() == 403 ? Reason.UNAUTHORIZED : Reason.REFUSED,
                            refused.why()));
                case Loss.NoSuchServer none -> end(new ClientState.Ended(Reason.NO_SERVER, none.why()));
                case Loss.Cut cut -> lose(from, cut.why());
            }
        });
    }

    private static Duration least(Duration asked) {
        return asked.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : asked;
    }

    /** Whether a refusal to open may be another one soon. */
    private static boolean passes(int status) {
        return status >= 500 || status == 408 || status == 429;
    }

    private Duration nextPause() {
        return pauses.jittered(failures++, random);
    }

    /** Gives the present link up, and comes back with another one after a pause. */
    void lose(Link from, String why) {
        if (isCurrent(from)) {
            drop(why);
            pause(why, nextPause());
        }
    }

    private void pause(String why, Duration pause) {
        become(new ClientState.Waiting(why, pause));
        timer.set(pause, this::open);
    }

    /** Leaves no link, and nothing that belongs to it. */
    private void drop(String why) {
        Link old = link;
        link = null;
        timer.stop();
        watchdog.stop();
        calls.abandonAll();
        watches.lost();
        parts.forEach(part -> part.lost(why));
        if (old != null) {
            monitor.then(old::close);
        }
        prober.lost();
    }

    private void end(ClientState.Ended ended) {
        parts.forEach(part -> part.ended(new ClientException.Ended(ended.why())));
        drop(ended.why());
        become(ended);
    }

    /** Nothing fires afterwards. */
    void close() {
        if (!(state instanceof ClientState.Closed)) {
            announcer.silence();
            parts.forEach(part -> part.ended(new ClientException.Closed()));
            drop("The client is closed.");
            state = new ClientState.Closed();
            watches.close();
        }
    }

    /** A new connection at once, whatever the present one is like. */
    void reopen() {
        switch (state) {
            case ClientState.Closed closed -> throw new ClientException.Closed();
            case ClientState.Idle idle -> {}
            case ClientState.Ended ended -> {}
            case ClientState.Opening opening -> anew();
            case ClientState.Syncing syncing -> anew();
            case ClientState.Connected connected -> anew();
            case ClientState.Waiting waiting -> anew();
        }
    }

    private void anew() {
        drop("The connection is replaced.");
        open();
    }

    /** Asks whether the connection lives, and replaces one that does not; who waits for another try does not wait any more. */
    CompletableFuture<Boolean> probe() {
        Link asked = connectedLink();
        if (asked != null) {
            return prober.probe(asked, this::anew);
        }
        if (state instanceof ClientState.Waiting) {
            anew();
        }
        return CompletableFuture.completedFuture(false);
    }
}
