package dev.holdfast.http.session;

import dev.holdfast.access.Action;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.http.ProblemTable;
import dev.holdfast.http.session.Drivers.Standing;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionAttach;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.SessionSnapshot;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Cursor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session on one connection. It holds no events: whenever its connection comes to it, it reads on in the store, from its cursor, as much as fits a
 * frame. Attaching is the first such step, so a client that takes nothing makes nobody read snapshots for it.
 *
 * <p>Replay and live are the same loop, and its order is what {@link SessionPull} says. Owned by the connection's part, except {@link #wake} and
 * {@link #end}, which any thread may call.
 */
final class Watch {

    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

    private final Connection connection;
    private final Transport transport;
    private final String sessionId;
    private final SessionKey key;
    private final byte[] frameHead;
    private final Runnable wake = this::wake;
    private final AtomicBoolean queued = new AtomicBoolean();

    /** Whether no more of this session is to come, and whether the client is told so. */
    private volatile boolean over;

    private volatile boolean tellsEnd;

    private final AtomicBoolean ended = new AtomicBoolean();

    private @Nullable SessionCursor cursor;

    /** The cursor that the client has, as it has it; null if it has none yet. */
    private @Nullable String token;

    private @Nullable SessionPull pull;

    /** Whether the session's shard changed hands, and it was not attached again since. */
    private boolean moved;

    private Standing told = Standing.NONE;
    private boolean finished;

    /** @param from where the client was, or null for a snapshot */
    Watch(Connection connection, Transport transport, String sessionId, @Nullable SessionCursor from) {
        this.connection = connection;
        this.transport = transport;
        this.sessionId = sessionId;
        this.key = new SessionKey(connection.principal().tenant(), sessionId);
        this.frameHead = EventsFrame.frameHead(sessionId);
        this.cursor = from;
    }

    String sessionId() {
        return sessionId;
    }

    SessionKey key() {
        return key;
    }

    /** Whether no more of it is to come. */
    boolean isOver() {
        return over;
    }

    /** Asks the connection to come to this session. Any thread; does not block. */
    void wake() {
        if (queued.compareAndSet(false, true)) {
            connection.ready(this);
        }
    }

    /**
     * Ends it; what it holds is let go when the connection comes to it.
     *
     * @param tell whether the client is told, which it is not where the same session is watched anew
     */
    void end(boolean tell) {
        tellsEnd = tell;
        ended.set(true);
        over = true;
        wake();
    }

    /** Whether it was ended and nobody asked yet. Asked when the connection has come to it. */
    boolean takeEnd() {
        return over && ended.getAndSet(false);
    }

    /** The connection has come to it. What happens from now on wakes it again. */
    void reached() {
        queued.set(false);
    }

    /**
     * Sends at most about a frame of what is there.
     *
     * @return whether there may be more right now
     */
    boolean send(Outlet out) throws IOException, InterruptedException {
        if (finished) {
            return false; // woken once more at its end
        }
        if (over) {
            finish();
            if (tellsEnd) {
                out.add(Frames.detached(sessionId, "unwatched", null));
            }
            return false;
        }
        try {
            SessionPull now = pull;
            return now == null ? attach(out) : pull(out, now);
        } catch (Closed e) {
            if (pull == null) {
                throw new IOException("Holdfast was closed", e);
            }
            moved = true; // the session's shard changed hands, and the cursor stands
            release();
            return true;
        } catch (CursorTooOld e) { // it fell behind the feed: its cursor is answered anew
            release();
            return true;
        } catch (HoldfastException e) {
            // a node that lost its shards with the database: its clients find another one
            if (moved && reason(e).equals("failed")) {
                throw new IOException("A session was lost on the way to another node", e);
            }
            refuse(out, e);
            return false;
        }
    }

    private String reason(HoldfastException e) {
        return switch (e) {
            case SessionNotFound gone -> pull == null && !moved ? "not-found" : "deleted";
            case NotAuthorized no -> "not-authorized";
            default -> "failed";
        };
    }

    private void refuse(Outlet out, HoldfastException e) throws IOException {
        String reason = reason(e);
        if (reason.equals("failed")) {
            LOG.warn("Session \"{}\" cannot be told of", sessionId, e);
        }
        connection.drop(this);
        finish();
        out.add(Frames.detached(sessionId, reason, ProblemTable.of(e)));
    }

    private boolean attach(Outlet out) throws IOException, InterruptedException {
        Session session = transport.access().session(connection.principal(), Action.READ, sessionId);
        SessionCursor from = cursor;
        if (from == null) {
            begin(out, session, "new", session.feed().snapshot(TransportLimits.MAX_SNAPSHOT_BYTES));
            return true;
        }
        switch (session.feed().attach(from, TransportLimits.MAX_SNAPSHOT_BYTES)) {
            case SessionAttach.Ok ok -> {
                SessionPull begun = new SessionPull(transport, connection.principal(), session, ok.reader());
                String known = moved ? tokenOf(from) : null;
                begun(begun, ok.cursor());
                follow(begun, ok);
                if (known == null) {
                    out.add(attached(session, ok.cursor(), ok.live(), null, null));
                } else {
                    token = known; // it goes on for the client as if nothing had happened
                }
            }
            case SessionAttach.TooOld old -> begin(out, session, "too-old", old.snapshot());
            case SessionAttach.Ahead ahead -> begin(out, session, "ahead", ahead.snapshot());
            case SessionAttach.WrongSession other ->
                begin(out, session, "other-session", session.feed().snapshot(TransportLimits.MAX_SNAPSHOT_BYTES));
            case SessionAttach.Gone gone -> throw new SessionNotFound(sessionId);
        }
        return true;
    }

    private void begin(Outlet out, Session session, String why, SessionSnapshot snapshot) throws IOException {
        FeedReader reader = session.feed().open(snapshot.cursor().feedNext());
        begun(new SessionPull(transport, connection.principal(), session, reader), snapshot.cursor());
        out.add(attached(session, snapshot.cursor(), snapshot.live(), why, snapshot));
    }

    private void begun(SessionPull begun, SessionCursor at) {
        pull = begun;
        moved = false;
        cursor = at;
        token = null;
    }

    /** Goes on with the streams that the client knows; of others the feed has still to tell. */
    private void follow(SessionPull begun, SessionAttach.Ok ok) {
        for (LiveTurn turn : ok.live()) {
            LiveTurn.LiveStream stream = turn.stream();
            if (stream != null && ok.cursor().position(stream.incarnation()).isPresent()) {
                Attach attach = transport
                        .access()
                        .streams(connection.principal())
                        .attach(stream.name(), new Cursor(stream.incarnation(), stream.from()));
                if (attach instanceof Attach.Ok known) {
                    begun.follow(TurnStream.after(turn.turnId(), known.reader()));
                } else if (attach instanceof Attach.Restarted other) {
                    other.reader().close();
                }
            }
        }
    }

    private byte[] attached(
            Session session,
            SessionCursor at,
            List<LiveTurn> live,
            @Nullable String why,
            @Nullable SessionSnapshot snapshot) {
        told = transport.connections().standing(key, connection);
        return Frames.attached(
                new Frames.Attached(session, at, live, told, transport.boot().of(session)), why, snapshot);
    }

    private boolean pull(Outlet out, SessionPull now) throws IOException, InterruptedException {
        tellDriver(out);
        SessionCursor from = requireCursor();
        EventsFrame frame = new EventsFrame();
        SessionPull.Result result = now.pull(frame, from);
        if (!frame.isEmpty()) {
            String before = tokenOf(from);
            token = result.cursor().token();
            out.add(frame.bytes(frameHead, before, token));
        }
        cursor = result.cursor();
        if (!result.more()) {
            now.onChange(wake);
        }
        return result.more();
    }

    /** As the client has it. */
    private String tokenOf(SessionCursor at) {
        return token == null ? at.token() : token;
    }

    private void tellDriver(Outlet out) throws IOException {
        Standing now = transport.connections().standing(key, connection);
        if (now != told) {
            out.add(Frames.driver(sessionId, now, told == Standing.YOU && now == Standing.OTHER));
            told = now;
        }
    }

    private SessionCursor requireCursor() {
        SessionCursor now = cursor;
        if (now == null) {
            throw new IllegalStateException("A session is told of before it was attached");
        }
        return now;
    }

    /** Lets go of all it holds, for good. */
    void finish() {
        finished = true;
        over = true;
        release();
        transport.connections().unwatches(key, this);
    }

    private void release() {
        SessionPull now = pull;
        if (now != null) {
            pull = null;
            now.cancel(wake);
            now.close();
        }
    }
}
