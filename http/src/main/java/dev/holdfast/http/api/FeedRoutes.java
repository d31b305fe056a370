package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.http.Call;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionAttach;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.SessionSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A session's feed as server-sent events. It begins with {@code snapshot}, or with a cursor exactly behind it; a cursor that stands no more
 * begins with {@code too-old} or {@code ahead} and then a snapshot.
 */
public final class FeedRoutes {

    private final Access access;
    private final SseSettings settings;

    public FeedRoutes(Holdfast holdfast, Authorizer authorizer, SseSettings settings) {
        this.access = new Access(holdfast, authorizer);
        this.settings = settings;
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/sessions/{session}/feed", this::watch);
    }

    private void watch(Call call) throws IOException, InterruptedException {
        Session session = access.session(call, Action.READ);
        Optional<SessionCursor> cursor = Cursors.given(call).map(SessionCursor::parse);
        if (cursor.isEmpty()) {
            begin(call, session, null, session.feed().snapshot(ApiLimits.MAX_SNAPSHOT_BYTES));
            return;
        }
        switch (session.feed().attach(cursor.get(), ApiLimits.MAX_SNAPSHOT_BYTES)) {
            case SessionAttach.Ok ok -> {
                try (FeedReader reader = ok.reader()) {
                    follow(call, SseWriter.open(call.exchange(), settings), reader, ok.cursor());
                }
            }
            case SessionAttach.TooOld old -> begin(call, session, "too-old", old.snapshot());
            case SessionAttach.Ahead ahead -> begin(call, session, "ahead", ahead.snapshot());
            case SessionAttach.WrongSession wrong ->
                throw new WrongCursor("Another session gave this cursor, perhaps one that had this id before. "
                        + "Start without a cursor.");
            case SessionAttach.Gone gone -> throw new SessionNotFound(session.id());
        }
    }

    private void begin(Call call, Session session, @Nullable String why, SessionSnapshot snapshot)
            throws IOException, InterruptedException {
        try (FeedReader reader = session.feed().open(snapshot.cursor().feedNext())) {
            SseWriter out = SseWriter.open(call.exchange(), settings);
            if (why != null) {
                tell(out, why, null, JsonViews.object());
            }
            ObjectNode body = JsonViews.object();
            body.set("messages", JsonViews.messages(snapshot.recent().messages()));
            body.put("truncated", snapshot.recent().truncated());
            body.set("liveTurns", JsonViews.liveTurns(session.id(), snapshot.live()));
            tell(out, "snapshot", snapshot.cursor(), body);
            follow(call, out, reader, snapshot.cursor());
        }
    }

    private void follow(Call call, SseWriter out, FeedReader reader, SessionCursor cursor)
            throws IOException, InterruptedException {
        try {
            do {
                Optional<List<FeedEvent>> events = reader.next(ApiLimits.MAX_FEED_BATCH, out.patience());
                if (events.isEmpty()) {
                    out.idle();
                    continue;
                }
                for (FeedEvent event : events.get()) {
                    add(out, name(event), cursor.withFeed(event.seq() + 1), JsonViews.feedEvent(event));
                }
                out.flush();
            } while (!out.rotationDue());
            out.rotate();
        } catch (SessionNotFound e) {
            tell(out, "session-deleted", null, JsonViews.object());
        } catch (CursorTooOld e) {
            call.exchange().abort(); // it comes back with its cursor and gets the explicit answer
        }
    }

    private static String name(FeedEvent event) {
        return event.kind().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void tell(SseWriter out, String name, @Nullable SessionCursor at, ObjectNode body)
            throws IOException {
        add(out, name, at, body);
        out.flush();
    }

    private static void add(SseWriter out, String name, @Nullable SessionCursor at, ObjectNode body) {
        out.frames().event(name, at == null ? null : at.token(), ByteBuffer.wrap(Json.MAPPER.writeValueAsBytes(body)));
    }
}
