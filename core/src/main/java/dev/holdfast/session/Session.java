package dev.holdfast.session;

import dev.holdfast.cluster.Far;
import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StoreReads;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One conversation: a tree of messages, a {@linkplain #feed() feed} of what happened, and {@linkplain #properties() properties}.
 *
 * <p><b>The tree.</b> Each message hangs under another one or is a root. The message that was added last is the <i>active leaf</i>; the path
 * from it to its root is the conversation as it stands. Adding under an older message begins a branch and moves the active leaf there. When
 * the active leaf is deleted, the newest message that is left takes its place, on whatever branch it is.
 *
 * <p>A session object means the very session it was got for. Once that is deleted every method throws {@link SessionNotFound}, even if a new
 * session has the id by then.
 *
 * <p>What a method wrote is durable when it returns, and its feed event with it. Thread-safe. Methods wait for the disk; call them from
 * virtual threads or threads that may block.
 */
public final class Session {

    private final Shards<SessionEngine> shards;
    private final SessionRow row;

    Session(SessionEngine engine, SessionRow row) {
        this(Shards.only(engine), row);
    }

    Session(Shards<SessionEngine> shards, SessionRow row) {
        this.shards = shards;
        this.row = row;
    }

    SessionRow row() {
        return row;
    }

    public String id() {
        return row.id();
    }

    /** The session as it stands. */
    public SessionInfo info() {
        return read((reads, session) -> SessionInfo.of(session));
    }

    /**
     * Gives the session a title, which lists show. One that was given none has one made of the first message of its user.
     *
     * @throws InvalidArgument if it is blank or has control characters
     * @throws LimitExceeded if it has more than {@value SessionLimits#MAX_TITLE_CHARS} characters
     */
    public void title(String title) {
        String checked = Titles.check(title);
        boolean unused = execute(new SessionCalls.SetTitle(row, checked), 0, (engine, scope, session) -> {
            engine.title(scope, session, checked);
            return true;
        });
    }

    /** What happened in this session, to be read from any position while it goes on. */
    public SessionFeed feed() {
        return new SessionFeed(shards, row);
    }

    /** The binaries that the session's messages name. They are deleted with it. */
    public Attachments attachments() {
        return new Attachments(this);
    }

    /** The session's properties. They are deleted with it. */
    public Properties properties() {
        return new Properties(shards, new PropertyRow.Owner.Session(row.key()));
    }

    /** Summaries in the place of older parts of the conversation, for models. They are deleted with it. */
    public Overlays overlays() {
        return new Overlays(this);
    }

    /**
     * Adds a message. Idempotent: if the session has a message of this id, that one stays as it is and nothing is written, whatever the
     * draft says.
     *
     * @throws MessageNotFound if it is to go under a message that this session does not have
     * @throws LimitExceeded if it is larger than {@link SessionLimits#maxMessageBytes()}
     */
    public PutResult append(MessageDraft draft) {
        return write(new SessionCalls.Add(row, draft), draft, SessionEngine::add);
    }

    /**
     * Adds a message, or replaces the content and role of the one that has its id; that one keeps its place. If both are the same
     * already, nothing is written and there is no event.
     *
     * @throws MessageNotFound if it is to go under a message that this session does not have
     * @throws LimitExceeded if it is larger than {@link SessionLimits#maxMessageBytes()}
     */
    public PutResult upsert(MessageDraft draft) {
        return write(new SessionCalls.Upsert(row, draft), draft, SessionEngine::put);
    }

    /** A message. */
    public Optional<Message> message(String id) {
        return read((reads, session) -> SessionEngine.message(reads, session, id));
    }

    /** A message if its content has at most so many bytes; of a larger one nothing is read. */
    public Optional<Message> message(String id, long maxBytes) {
        return read((reads, session) -> reads.message(session.key(), id)
                .filter(found -> found.bytes() <= maxBytes)
                .map(found -> MessagePath.message(reads, found)));
    }

    /** The active leaf, or empty if there is no message. */
    public Optional<Message> leaf() {
        return read((reads, session) -> reads.activeLeaf(session.key()).map(leaf -> MessagePath.message(reads, leaf)));
    }

    /**
     * The messages directly under this one, oldest first: more than one where branches begin.
     *
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}; the oldest ones
     * @throws MessageNotFound if there is no such message
     */
    public List<MessageInfo> children(String id, int limit) {
        Sessions.checkPage("messages", limit);
        return read((reads, session) -> {
            MessageRow parent = require(reads, session, id);
            return infos(reads.children(session.key(), parent.seq(), limit), id);
        });
    }

    /**
     * The messages under none, oldest first.
     *
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}; the oldest ones
     */
    public List<MessageInfo> roots(int limit) {
        Sessions.checkPage("messages", limit);
        return read((reads, session) -> infos(reads.children(session.key(), 0, limit), null));
    }

    /** How many messages there are, over all branches. */
    public long count() {
        return read((reads, session) -> reads.messageCount(session.key()));
    }

    /** The path to the active leaf, root first, in windows. */
    public History history() {
        return new RootFirst(this, null);
    }

    /** The path to a message, root first, in windows. */
    public History history(String leafId) {
        return new RootFirst(this, leafId);
    }

    /** The path to the active leaf, newest first, in windows; reads no more than what is asked of it. */
    public History newestFirst() {
        return new NewestFirst(this, null);
    }

    /** The path to a message, newest first, in windows; reads no more than what is asked of it. */
    public History newestFirst(String leafId) {
        return new NewestFirst(this, leafId);
    }

    /**
     * The newest messages of the path to the active leaf whose contents fit, at least the leaf.
     *
     * @param maxBytes at most {@link SessionLimits#MAX_RECENT_BYTES}
     */
    public RecentHistory recent(long maxBytes) {
        checkRecent(maxBytes);
        return read((reads, session) -> recent(reads, session, maxBytes));
    }

    /**
     * The newest messages of the path to this message whose contents fit, at least the message itself.
     *
     * @param maxBytes at most {@link SessionLimits#MAX_RECENT_BYTES}
     * @throws MessageNotFound if there is no such message
     */
    public RecentHistory recent(String leafId, long maxBytes) {
        checkRecent(maxBytes);
        return read((reads, session) -> MessagePath.recent(
                reads, session, require(reads, session, leafId), maxBytes, SessionLimits.MAX_RECENT_MESSAGES));
    }

    /**
     * The path to this message as a model reads it, with the {@linkplain #overlays() overlays} in the place of what they fold: the newest messages and
     * summaries that fit, at least one.
     *
     * @param maxBytes of contents and summaries, at most {@link SessionLimits#MAX_RECENT_BYTES}
     * @throws MessageNotFound if there is no such message
     */
    public CompactedHistory compacted(String leafId, long maxBytes) {
        checkRecent(maxBytes);
        return read((reads, session) -> CompactedPath.of(reads, session, require(reads, session, leafId), maxBytes));
    }

    static RecentHistory recent(StoreReads reads, SessionRow session, long maxBytes) {
        return reads.activeLeaf(session.key())
                .map(leaf -> MessagePath.recent(reads, session, leaf, maxBytes, SessionLimits.MAX_RECENT_MESSAGES))
                .orElseGet(() -> new RecentHistory(List.of(), false, 0));
    }

    /**
     * Deletes a message. Its children move to its parent.
     *
     * @return false if there was none
     */
    public boolean delete(String id) {
        return delete(List.of(id)) == 1;
    }

    /**
     * Deletes messages together; unknown ids are passed over. Children that stay move to the nearest ancestor that stays.
     *
     * @param ids at most {@value SessionLimits#MAX_DELETED_MESSAGES}
     * @return how many there were
     * @throws LimitExceeded if there are too many, or more than {@value SessionLimits#MAX_MOVED_MESSAGES} children would move
     */
    public int delete(Collection<String> ids) {
        List<String> doomed = List.copyOf(new HashSet<>(ids));
        if (doomed.size() > SessionLimits.MAX_DELETED_MESSAGES) {
            throw new LimitExceeded(
                    "MAX_DELETED_MESSAGES",
                    SessionLimits.MAX_DELETED_MESSAGES,
                    doomed.size(),
                    "delete them in several calls");
        }
        return free(
                new SessionCalls.DeleteMessages(row, doomed),
                (engine, scope, session) -> engine.deleteMessages(scope, session, doomed));
    }

    /**
     * Deletes all messages, together, and ends the turns that wait in the queue. The turn that runs goes on; feed, other turns and properties
     * stay.
     *
     * @return how many there were
     * @throws LimitExceeded if there are more than {@value SessionLimits#MAX_CLEARED_MESSAGES}
     */
    public int clear() {
        return free(new SessionCalls.Clear(row), SessionEngine::clear);
    }

    /** Runs on a snapshot of the session. */
    <T> T read(BiFunction<StoreReads, SessionRow, T> work) {
        return onEngine(engine ->
                engine.streams().store().read(reads -> work.apply(reads, SessionEngine.require(reads, row))));
    }

    <T> T onEngine(Function<SessionEngine, T> work) {
        return shards.on(row.key(), work);
    }

    /** Runs as one command, where the session may be written. */
    <T> T execute(Request<SessionEngine, T> request, int bytes, Work<T> work) {
        return change(request, engine -> new Change<>(engine, bytes, false, work));
    }

    private PutResult write(Request<SessionEngine, PutResult> request, MessageDraft draft, Put put) {
        return change(request, engine -> {
            PreparedMessage message = engine.prepare(row.id(), draft);
            return new Change<>(
                    engine, message.bytes(), false, (e, scope, session) -> put.on(e, scope, session, message));
        });
    }

    /** Leaves more room than it takes. */
    private <T> T free(Request<SessionEngine, T> request, Work<T> work) {
        return change(request, engine -> new Change<>(engine, 0, true, work));
    }

    private <T> T change(Request<SessionEngine, T> request, Function<SessionEngine, Change<T>> change) {
        return shards.on(row.key(), engine -> {
            Far far = engine.streams().far();
            return far != null ? far.ask(request) : engine.streams().committer().execute(change.apply(engine));
        });
    }

    private interface Put {
        PutResult on(SessionEngine engine, CommitScope scope, SessionRow session, PreparedMessage message);
    }

    interface Work<T> {
        T on(SessionEngine engine, CommitScope scope, SessionRow session);
    }

    private final class Change<T> extends Command<T> {
        private final SessionEngine engine;
        private final int bytes;
        private final boolean frees;
        private final Work<T> work;

        Change(SessionEngine engine, int bytes, boolean frees, Work<T> work) {
            this.engine = engine;
            this.bytes = bytes;
            this.frees = frees;
            this.work = work;
        }

        @Override
        protected int payloadBytes() {
            return bytes;
        }

        @Override
        protected boolean freesSpace() {
            return frees;
        }

        @Override
        protected T decide(CommitScope scope) {
            return work.on(engine, scope, engine.require(scope, row));
        }
    }

    static MessageRow require(StoreReads reads, SessionRow session, String messageId) {
        return reads.message(session.key(), messageId).orElseThrow(() -> new MessageNotFound(session.id(), messageId));
    }

    static void checkRecent(long maxBytes) {
        if (maxBytes < 0 || maxBytes > SessionLimits.MAX_RECENT_BYTES) {
            throw new InvalidArgument("A recent history holds 0 to %d bytes; got %d."
                    .formatted(SessionLimits.MAX_RECENT_BYTES, maxBytes));
        }
    }

    private static List<MessageInfo> infos(List<MessageRow> rows, @Nullable String parent) {
        return rows.stream()
                .map(row -> new MessageInfo(
                        row.id(),
                        parent,
                        row.role(),
                        row.bytes(),
                        Instant.ofEpochMilli(row.createdAt()),
                        Instant.ofEpochMilli(row.updatedAt())))
                .toList();
    }
}
