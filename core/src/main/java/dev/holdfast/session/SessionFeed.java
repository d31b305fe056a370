package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What happened in a session: messages added, changed and deleted, turns started and ended. Each event is written in the transaction of what
 * it tells, and numbered densely from 0. The newest {@link SessionLimits#feedRetained} are kept.
 *
 * <p>Thread-safe. Methods wait for the disk; call them from virtual threads or threads that may block.
 */
public final class SessionFeed {

    private final Shards<SessionEngine> shards;
    private final SessionRow session;

    SessionFeed(Shards<SessionEngine> shards, SessionRow session) {
        this.shards = shards;
        this.session = session;
    }

    /**
     * One bounded read.
     *
     * @param from number of the first event wanted
     * @param limit events at most, 1 to {@value SessionLimits#MAX_FEED_PAGE}
     * @throws HoldfastException.CursorTooOld if events at this position were trimmed away
     * @throws HoldfastException.CursorAhead if the position lies beyond the feed's end
     * @throws SessionNotFound if the session was deleted
     */
    public List<FeedEvent> read(long from, int limit) {
        try (FeedReader reader = open(from)) {
            return reader.read(limit);
        }
    }

    /** Number of the event that comes next. */
    public long next() {
        return snapshotOf(reads -> reads.feedNext(session.key()));
    }

    /**
     * Opens a reader that starts with this event. Close it.
     *
     * @throws InvalidArgument if {@code from} is negative
     */
    public FeedReader open(long from) {
        if (from < 0) {
            throw new InvalidArgument("A feed is read from event 0 on; got " + from + ".");
        }
        return shards.on(session.key(), engine -> open(engine, from));
    }

    private FeedReader open(SessionEngine engine, long from) {
        return new FeedReader(engine, session, engine.watch(session), from);
    }

    /**
     * Says how a cursor stands and, if it stands, goes on exactly there (EXPLICIT-CURSOR). The answer, its list of live turns and, where it
     * has one, its snapshot are of one instant.
     *
     * @param cursor as given by this session
     * @param snapshotBytes contents in a snapshot, should one be needed; at most {@link SessionLimits#MAX_RECENT_BYTES}
     */
    public SessionAttach attach(SessionCursor cursor, long snapshotBytes) {
        Session.checkRecent(snapshotBytes);
        if (!cursor.isOf(session)) {
            return new SessionAttach.WrongSession();
        }
        return shards.on(session.key(), engine -> attach(engine, cursor, snapshotBytes));
    }

    private SessionAttach attach(SessionEngine engine, SessionCursor cursor, long snapshotBytes) {
        FeedWatch watch = engine.watch(session); // before the read, so that nothing falls between
        SessionAttach answer = null;
        try {
            answer = snapshotOf(engine, reads -> attach(engine, reads, cursor, snapshotBytes, watch));
        } catch (SessionNotFound e) {
            answer = new SessionAttach.Gone();
        } finally {
            if (!(answer instanceof SessionAttach.Ok)) {
                watch.close();
            }
        }
        return answer;
    }

    private SessionAttach attach(
            SessionEngine engine, StoreReads reads, SessionCursor cursor, long snapshotBytes, FeedWatch watch) {
        if (cursor.feedNext() < reads.feedFirst(session.key())) {
            return new SessionAttach.TooOld(snapshot(reads, snapshotBytes));
        }
        if (cursor.feedNext() > reads.feedNext(session.key())) {
            return new SessionAttach.Ahead(snapshot(reads, snapshotBytes));
        }
        List<LiveTurn> live = live(reads, cursor);
        Set<Long> incarnations = live.stream()
                .flatMap(turn -> turn.streamNow().stream())
                .map(LiveTurn.LiveStream::incarnation)
                .collect(Collectors.toSet());
        return new SessionAttach.Ok(
                new FeedReader(engine, session, watch, cursor.feedNext()), live, cursor.onlyStreams(incarnations));
    }

    /**
     * The session at this instant, with the cursor that goes on behind it.
     *
     * @param maxBytes contents of the recent messages; at most {@link SessionLimits#MAX_RECENT_BYTES}, at least the active leaf
     * @throws SessionNotFound if the session was deleted
     */
    public SessionSnapshot snapshot(long maxBytes) {
        Session.checkRecent(maxBytes);
        return snapshotOf(reads -> snapshot(reads, maxBytes));
    }

    private SessionSnapshot snapshot(StoreReads reads, long maxBytes) {
        SessionCursor cursor = SessionCursor.at(session, reads.feedNext(session.key()));
        return new SessionSnapshot(Session.recent(reads, session, maxBytes), live(reads, cursor), cursor);
    }

    static List<LiveTurn> live(StoreReads reads, SessionCursor cursor) {
        List<TurnRow> turns = reads.liveTurns(cursor.session());
        return turns.stream().map(turn -> LiveTurn.of(reads, turn, cursor)).toList();
    }

    /**
     * Calls the listener for each event from now on, until the subscription is closed; in a cluster also when the session's shard changes hands. See
     * {@link FeedListener}.
     */
    public FeedSubscription listen(FeedListener listener) {
        FeedSubscription subscription = new FeedSubscription(shards, session, open(next()), listener);
        subscription.start();
        return subscription;
    }

    private <T> T snapshotOf(Function<StoreReads, T> work) {
        return shards.on(session.key(), engine -> snapshotOf(engine, work));
    }

    private <T> T snapshotOf(SessionEngine engine, Function<StoreReads, T> work) {
        return engine.streams().store().read(reads -> {
            SessionEngine.require(reads, session);
            return work.apply(reads);
        });
    }
}
