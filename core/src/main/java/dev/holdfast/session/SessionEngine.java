package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.Maintenance;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.StreamEngine;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The operations on sessions that a command can combine into one transaction: messages, feed events, deletion.
 *
 * <p>For Holdfast's own packages: turns use it to write messages, feed events and streams together. Applications use {@link Sessions}.
 *
 * <p><b>Who owns what.</b> Sessions have no state in memory: every decision reads the transaction it writes in, and every reader reads the
 * store. What is in memory are those who wait for a feed. They are told after the commit, so nobody hears of what may still be undone
 * (VISIBLE-IS-DURABLE).
 *
 * <p>Methods with a {@link CommitScope} belong to the committer's thread, inside a command. A {@link SessionRow} is good for the command in
 * which it was found.
 */
public final class SessionEngine {

    private final StreamEngine streams;
    private final SessionLimits limits;
    private final MessageContents contents;
    private final Executor callbacks;
    private final FeedLog feed;
    private final MessageTree tree;
    private final SessionChanges changes;
    private final PropertyEngine properties;
    private final SessionUpkeep upkeep;
    private final ExpiryUpkeep expiry;
    private final SearchUpkeep search;
    private final ExpiryUpkeep unused;
    private final AttachmentEngine attachments;
    private final List<BiConsumer<CommitScope, SessionRow>> whenCleared = new CopyOnWriteArrayList<>();

    /** With contents that are plain text. */
    public SessionEngine(StreamEngine streams, SessionLimits limits, Executor callbacks) {
        this(streams, limits, MessageContents.plain(), callbacks);
    }

    /**
     * @param contents reads the contents of messages
     * @param callbacks runs the application's listeners, away from the committer's thread
     */
    public SessionEngine(StreamEngine streams, SessionLimits limits, MessageContents contents, Executor callbacks) {
        this.streams = streams;
        this.limits = limits;
        this.contents = contents;
        this.callbacks = callbacks;
        this.upkeep = new SessionUpkeep(streams);
        this.changes = new SessionChanges(streams, upkeep);
        this.feed = new FeedLog(limits, changes::grew);
        this.unused = ExpiryUpkeep.ofAttachments(streams);
        this.attachments = new AttachmentEngine(streams, unused);
        this.tree = new MessageTree(feed, attachments, limits);
        this.search = new SearchUpkeep(streams, contents);
        this.expiry = ExpiryUpkeep.ofProperties(streams);
        this.properties = new PropertyEngine(feed, expiry);
    }

    public StreamEngine streams() {
        return streams;
    }

    public SessionLimits limits() {
        return limits;
    }

    /** The operations on properties. */
    public PropertyEngine properties() {
        return properties;
    }

    /** The attachments of a session. Any thread. */
    public Attachments attachmentsOf(SessionRow session) {
        return new Session(this, session).attachments();
    }

    /** The overlays of a session. Any thread. */
    public Overlays overlaysOf(SessionRow session) {
        return new Session(this, session).overlays();
    }

    AttachmentEngine attachments() {
        return attachments;
    }

    /** Reads the contents of messages. */
    MessageContents contents() {
        return contents;
    }

    Executor callbacks() {
        return callbacks;
    }

    /** The engine's own work, to be named to the committer. */
    public Maintenance upkeep() {
        return Maintenance.all(upkeep, expiry, search, unused);
    }

    /** Takes up what an earlier process left. Called once, before the committer runs. */
    public void recover() {
        streams.store().read(reads -> {
            upkeep.start(reads);
            expiry.start(reads);
            search.start(reads);
            unused.start(reads);
            return true;
        });
    }

    /** Looks at the feeds that are watched here and may have changed; only for a shard that another node writes. Any thread. */
    public void look(LongPredicate changed) {
        changes.look(changed);
    }

    /** Whether no feed is watched here. */
    public boolean isIdle() {
        return changes.isUnwatched();
    }

    /** Ends the waits of all who watch feeds; they are told {@code Closed}. Called once, after the committer was closed. */
    public void close() {
        changes.close();
    }

    /** The session that has this id now. */
    public Optional<SessionRow> find(CommitScope scope, String tenant, String id) {
        return scope.reads().session(tenant, id);
    }

    /**
     * The session that has this id now.
     *
     * @throws SessionNotFound if there is none
     */
    public SessionRow require(CommitScope scope, String tenant, String id) {
        return find(scope, tenant, id).orElseThrow(() -> new SessionNotFound(id));
    }

    /**
     * The very session that was found before: not another one that has its id by now.
     *
     * @throws SessionNotFound if it was deleted
     */
    public SessionRow require(CommitScope scope, SessionRow known) {
        return require(scope.reads(), known);
    }

    /** As {@link #require(CommitScope, SessionRow)}, on a snapshot. */
    public static SessionRow require(StoreReads reads, SessionRow known) {
        return reads.session(known.key())
                .filter(row -> !row.deleted())
                .orElseThrow(() -> new SessionNotFound(known.id()));
    }

    /** The session that has this id, created if there is none. */
    public SessionRow create(CommitScope scope, String tenant, String id) {
        Names.check("session id", id);
        return find(scope, tenant, id).orElseGet(() -> {
            streams.checkHome(tenant, id);
            long now = scope.now();
            SessionRow row = new SessionRow(streams.nextKey(scope), tenant, id, false, now, now, 1);
            scope.writes().insertSession(row);
            return row;
        });
    }

    /** Reads a message before it is written, so that nobody does so on the committer's thread. Any thread. */
    public PreparedMessage prepare(String sessionId, MessageDraft draft) {
        return PreparedMessage.of(contents, sessionId, draft, false);
    }

    /** As {@link #prepare}, for what a turn wrote: that is kept even if it names attachments that are not there. */
    public PreparedMessage prepareAnswer(String sessionId, MessageDraft draft) {
        return PreparedMessage.of(contents, sessionId, draft, true);
    }

    /** Notes activity: the session moves to the front of its tenant's list. */
    public void touch(CommitScope scope, SessionRow session) {
        SessionRow row = require(scope, session);
        if (row.updatedAt() < scope.now()) {
            scope.writes().updateSession(row.touched(scope.now()));
        }
    }

    /**
     * Gives the session a title, with the feed event {@code PROPERTY_CHANGED} of {@link Titles#NAME}. The same title again writes nothing.
     *
     * @param title as {@link Titles#check} takes it
     */
    public void title(CommitScope scope, SessionRow session, String title) {
        SessionRow row = require(scope, session);
        if (!title.equals(row.title())) {
            scope.writes().updateSession(row.titled(title));
            feed.append(scope, session, FeedRow.Kind.PROPERTY_CHANGED, null, null, Titles.NAME);
        }
    }

    /**
     * Adds a message, or replaces the content and role of the one that has its id, with the feed event {@code MESSAGE_ADDED} or
     * {@code MESSAGE_UPDATED}, and touches the session. The same content and role again write nothing.
     *
     * @throws MessageNotFound if it is to go under a message that is not there
     * @throws dev.holdfast.error.HoldfastException.LimitExceeded if it is larger than a message may be
     */
    public PutResult put(CommitScope scope, SessionRow session, PreparedMessage message) {
        return touched(scope, session, message, tree.put(scope, session, message));
    }

    /** As {@link #put(CommitScope, SessionRow, PreparedMessage)}, for what a turn wrote and could not be prepared before. */
    public PutResult put(CommitScope scope, SessionRow session, MessageDraft draft) {
        return put(scope, session, prepareAnswer(session.id(), draft));
    }

    /** As {@link #put(CommitScope, SessionRow, PreparedMessage)}, but a message that has this id already stays as it is, whatever the draft says. */
    public PutResult add(CommitScope scope, SessionRow session, PreparedMessage message) {
        return touched(scope, session, message, tree.add(scope, session, message));
    }

    /** As {@link #put(CommitScope, SessionRow, PreparedMessage)}, but leaves the number below a new message free, for one that is to come before it. */
    public PutResult putBehindGap(CommitScope scope, SessionRow session, PreparedMessage message) {
        return touched(scope, session, message, tree.putBehindGap(scope, session, message));
    }

    /**
     * As {@link #put(CommitScope, SessionRow, PreparedMessage)}, but a new message takes the free number {@code gap}, and the first of the {@code followers} that hangs under the same
     * parent, or the message right behind the gap, moves under it.
     */
    public PutResult putInGap(
            CommitScope scope, SessionRow session, PreparedMessage message, long gap, Collection<String> followers) {
        return touched(scope, session, message, tree.putInGap(scope, session, message, gap, followers));
    }

    private PutResult touched(CommitScope scope, SessionRow session, PreparedMessage message, PutResult result) {
        if (!result.unchanged()) {
            SessionRow row = require(scope, session);
            SessionRow now = row.touched(Math.max(row.updatedAt(), scope.now()));
            if (row.title() == null) {
                now = now.titled(message.title());
            }
            if (!now.equals(row)) {
                scope.writes().updateSession(now);
            }
        }
        return result;
    }

    /** Deletes messages. Children that stay move to the nearest ancestor that stays. Returns how many of the ids there were. */
    public int deleteMessages(CommitScope scope, SessionRow session, Collection<String> ids) {
        int deleted = tree.delete(scope, session, ids);
        if (deleted > 0) {
            touch(scope, session);
        }
        return deleted;
    }

    /**
     * Registers for sessions that are cleared: {@code listener} runs inside the command that clears one, on the committer's thread, and may
     * write. Any thread.
     */
    public void onCleared(BiConsumer<CommitScope, SessionRow> listener) {
        whenCleared.add(listener);
    }

    /** Deletes all messages, their overlays, and what waits to be answered. Returns how many messages there were. */
    public int clear(CommitScope scope, SessionRow session) {
        whenCleared.forEach(listener -> listener.accept(scope, session));
        OverlayTable.clear(scope, session);
        int cleared = tree.clear(scope, session);
        if (cleared > 0) {
            touch(scope, session);
        }
        return cleared;
    }

    /**
     * Appends an event to the session's feed; whoever waits for the feed is told after the commit.
     *
     * @param detail cut at {@link SessionLimits#MAX_DETAIL_BYTES}
     * @return the event's number
     */
    public long feed(
            CommitScope scope,
            SessionRow session,
            FeedRow.Kind kind,
            @Nullable String messageId,
            @Nullable String turnId,
            @Nullable String detail) {
        return feed.append(scope, session, kind, messageId, turnId, detail);
    }

    /**
     * Deletes a session in a commit of bounded cost: its id is free at once, its streams are discarded, whoever waits for its feed is told,
     * and its rows are removed afterwards.
     */
    public void delete(CommitScope scope, SessionRow session) {
        SessionRow row = require(scope, session);
        scope.writes().updateSession(row.deletedAt(scope.now()));
        SessionUpkeep.discardStreams(scope, streams, row.key());
        changes.deleted(scope, row.key());
    }

    /** A message of the session. */
    public static Optional<Message> message(StoreReads reads, SessionRow session, String id) {
        return reads.message(session.key(), id).map(row -> MessagePath.message(reads, row));
    }

    /**
     * The path that ends with a message, root first: its newest messages within {@code maxBytes} of content, at least the message itself.
     *
     * @throws MessageNotFound if there is no such message
     */
    public List<Message> path(StoreReads reads, SessionRow session, String leafId, long maxBytes) {
        MessageRow leaf =
                reads.message(session.key(), leafId).orElseThrow(() -> new MessageNotFound(session.id(), leafId));
        return MessagePath.recent(reads, session, leaf, maxBytes, SessionLimits.MAX_RECENT_MESSAGES)
                .messages();
    }

    /**
     * The path that ends with a message as a model reads it; see {@link Session#compacted}.
     *
     * @throws MessageNotFound if there is no such message
     */
    public CompactedHistory compacted(StoreReads reads, SessionRow session, String leafId, long maxBytes) {
        return CompactedPath.of(reads, session, Session.require(reads, session, leafId), maxBytes);
    }

    /**
     * Watches a session's feed. Close the watch. Any thread.
     *
     * @throws dev.holdfast.error.HoldfastException.Closed if this engine was closed
     */
    public FeedWatch watch(SessionRow session) {
        return changes.watch(session.key());
    }

    /**
     * Registers for deletions: {@code listener} gets a session's key after the commit that deleted it, on the committer's thread, and must
     * not block or throw. Any thread.
     */
    public void onDeleted(LongConsumer listener) {
        changes.onDeleted(listener);
    }
}
