package dev.holdfast.session;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.Time;
import dev.holdfast.stream.Names;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one tenant: conversations, each a tree of messages with a feed of what happened in it.
 *
 * <p>Thread-safe. Methods wait for the disk; call them from virtual threads or threads that may block.
 */
public final class Sessions {

    private static final Comparator<SessionRow> NEWEST_FIRST = Comparator.comparingLong(SessionRow::updatedAt)
            .thenComparingLong(SessionRow::key)
            .reversed();

    /** Before all that there are. */
    private static final SessionInfo.Position FIRST = new SessionInfo.Position(Long.MAX_VALUE, Long.MAX_VALUE);

    private final Shards<SessionEngine> shards;
    private final String tenant;

    public Sessions(SessionEngine engine, String tenant) {
        this(Shards.only(engine), tenant);
    }

    public Sessions(Shards<SessionEngine> shards, String tenant) {
        this.shards = shards;
        this.tenant = Names.check("tenant", tenant);
    }

    /** Creates a session with an id that nobody can guess. */
    public Session create() {
        Time time = shards.all().getFirst().streams().time();
        HexFormat hex = HexFormat.of();
        return create(hex.toHexDigits(time.randomLong()) + hex.toHexDigits(time.randomLong()));
    }

    /**
     * Creates a session, or finds the one that has this id. Idempotent; durable on return.
     *
     * @throws InvalidArgument if the id is empty or has control characters
     * @throws HoldfastException.LimitExceeded if it is longer than {@link dev.holdfast.stream.StreamLimits#MAX_NAME_BYTES}
     */
    public Session create(String id) {
        Names.check("session id", id);
        return shards.on(tenant, id, engine -> {
            Far far = engine.streams().far();
            if (far != null) {
                return new Session(shards, far.ask(new SessionCalls.Create(tenant, id)));
            }
            return engine.streams().committer().execute(new Command<Session>() {
                @Override
                protected Session decide(CommitScope scope) {
                    return new Session(shards, engine.create(scope, tenant, id));
                }
            });
        });
    }

    /** The session that has this id now. */
    public Optional<Session> find(String id) {
        return shards.on(tenant, id, engine -> {
            return engine.streams()
                    .store()
                    .read(reads -> reads.session(tenant, id))
                    .map(row -> new Session(shards, row));
        });
    }

    /**
     * The session that has this id now.
     *
     * @throws SessionNotFound if there is none
     */
    public Session get(String id) {
        return find(id).orElseThrow(() -> new SessionNotFound(id));
    }

    /** The sessions with the newest activity, newest first. */
    public List<SessionInfo> list(int limit) {
        return list(FIRST, limit);
    }

    /**
     * Sessions whose last activity is older, newest first. A session that is active between two pages moves to the front and is missing in
     * the later ones.
     *
     * @param after the {@link SessionInfo#position()} of the last one of the page before
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}
     */
    public List<SessionInfo> list(SessionInfo.Position after, int limit) {
        checkPage("sessions", limit);
        List<List<SessionRow>> pages = shards.onEach(engine ->
                engine.streams().store().read(reads -> reads.sessions(tenant, after.updatedAt(), after.key(), limit)));
        Stream<SessionRow> rows = pages.size() == 1
                ? pages.getFirst().stream()
                : pages.stream().flatMap(List::stream).sorted(NEWEST_FIRST); // each gave its newest
        return rows.limit(limit).map(SessionInfo::of).toList();
    }

    /**
     * Finds sessions by the words of their titles, latest activity first: a title is found as {@link #search} finds a message. Titles are compared one by one,
     * at most {@value SessionLimits#MAX_COMPARED_TITLES} by a call, so that a page may have fewer sessions than asked for, or none, and still a next one.
     *
     * @param question of a long one only the first {@value SessionLimits#MAX_QUESTION_CHARS} characters and {@value
     *     SessionLimits#MAX_QUESTION_WORDS} words count; one without a word finds nothing
     * @param after {@link TitlePage#next()} of the page before, or null for the first one
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}
     */
    public TitlePage titled(String question, SessionInfo.@Nullable Position after, int limit) {
        checkPage("sessions", limit);
        List<String> words = Words.ofQuestion(question);
        List<SessionInfo> found = new ArrayList<>();
        SessionInfo.Position last = after == null ? FIRST : after;
        for (int compared = 0; !words.isEmpty() && compared < SessionLimits.MAX_COMPARED_TITLES; ) {
            List<SessionInfo> page = list(last, SessionLimits.MAX_PAGE);
            for (SessionInfo session : page) {
                last = session.position();
                if (session.title() != null && Words.answer(words, session.title())) {
                    found.add(session);
                    if (found.size() == limit) {
                        return new TitlePage(List.copyOf(found), last);
                    }
                }
            }
            if (page.size() < SessionLimits.MAX_PAGE) {
                return new TitlePage(List.copyOf(found), null);
            }
            compared += page.size();
        }
        return new TitlePage(List.copyOf(found), words.isEmpty() ? null : last);
    }

    /**
     * Finds messages by their words, in all sessions of the tenant, youngest first. A message is found if it has each word of the question or one that
     * begins with it; case and accents do not count. Any text is a question; one without a word finds nothing.
     *
     * @param question of a long one only the first {@value SessionLimits#MAX_QUESTION_CHARS} characters and {@value
     *     SessionLimits#MAX_QUESTION_WORDS} words count
     * @param cursor {@link SearchPage#next()} of the page before, or null for the first one
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}; a page may have fewer hits and still a next one
     * @throws HoldfastException.SearchNotSupported if the store has no search
     * @throws HoldfastException.WrongCursor if the cursor is none
     */
    public SearchPage search(String question, @Nullable String cursor, int limit) {
        return new Search(shards, tenant).find(question, cursor, limit);
    }

    /**
     * Deletes a session with everything it owns: messages, feed, turns, properties and streams. All of it is gone at once for everyone who
     * asks; whoever works in it learns of it by {@code SessionNotFound}. The id is free. The rows are removed afterwards, in bounded steps.
     *
     * @return false if there was none
     */
    public boolean delete(String id) {
        return shards.on(tenant, id, engine -> {
            Far far = engine.streams().far();
            if (far != null) {
                return far.ask(new SessionCalls.Delete(tenant, id));
            }
            return engine.streams().committer().execute(new Command<Boolean>() {
                @Override
                protected boolean freesSpace() {
                    return true;
                }

                @Override
                protected Boolean decide(CommitScope scope) {
                    Optional<SessionRow> row = engine.find(scope, tenant, id);
                    row.ifPresent(session -> engine.delete(scope, session));
                    return row.isPresent();
                }
            });
        });
    }

    /**
     * Says how a cursor stands and, if it stands, goes on exactly there (EXPLICIT-CURSOR). The answer, its list of live turns and, where it
     * has one, its snapshot are of one instant.
     *
     * @param cursor as given by this session
     * @param snapshotBytes contents in a snapshot, should one be needed; at most {@link SessionLimits#MAX_RECENT_BYTES}
     */
    public SessionAttach attach(String id, SessionCursor cursor, long snapshotBytes) {
        return find(id).map(session -> session.feed().attach(cursor, snapshotBytes))
                .orElseGet(SessionAttach.Gone::new);
    }

    static void checkPage(String what, int limit) {
        if (limit < 1 || limit > SessionLimits.MAX_PAGE) {
            throw new InvalidArgument(
                    "A page holds 1 to %d %s; got %d.".formatted(SessionLimits.MAX_PAGE, what, limit));
        }
    }
}
