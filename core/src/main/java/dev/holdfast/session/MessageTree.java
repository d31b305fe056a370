package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.MessageDraft.Placement;
import dev.holdfast.session.PutResult.Change;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.WordsRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes the tree of a session's messages, and the feed event of each change with it.
 *
 * <p><b>The tree.</b> A message's number is above its parent's, always: it is given when the message is added, and a deleted message's
 * children move to an ancestor, whose number is lower still. A message that is to come before one that is there already gets a number that
 * was left free below that one, so that this stays true when the later one moves under it. So there are no cycles, the message with the highest number has no children,
 * and no walk needs recursion.
 *
 * <p>Holds no state: what it decides on is read in the transaction that writes.
 */
final class MessageTree {

    private static final int CHILDREN_PER_STEP = 256;
    private static final int CLEARED_PER_STEP = 1000;

    private final FeedLog feed;
    private final AttachmentEngine attachments;
    private final SessionLimits limits;

    MessageTree(FeedLog feed, AttachmentEngine attachments, SessionLimits limits) {
        this.feed = feed;
        this.attachments = attachments;
        this.limits = limits;
    }

    /** Adds the message, or replaces the content and role of the one that has its id. */
    PutResult put(CommitScope scope, SessionRow session, PreparedMessage message) {
        MessageDraft draft = checked(message);
        Optional<MessageRow> found = scope.reads().message(session.key(), draft.id());
        if (found.isEmpty()) {
            return insert(scope, session, message);
        }
        MessageRow old = found.get();
        if (same(scope, old, draft)) {
            return new PutResult(old.id(), Change.UNCHANGED, old.seq());
        }
        MessageRow row = new MessageRow(
                old.sessionKey(),
                old.seq(),
                old.id(),
                old.parentSeq(),
                draft.role(),
                draft.content().length,
                old.createdAt(),
                scope.now());
        scope.writes().updateMessage(row, draft.content());
        scope.writes().putWords(words(row, message));
        attachments.updated(scope, session, row, message);
        feed.append(scope, session, FeedRow.Kind.MESSAGE_UPDATED, row.id(), draft.turnId(), null);
        return new PutResult(row.id(), Change.UPDATED, row.seq());
    }

    /** Adds the message, unless one has its id: that one stays as it is. */
    PutResult add(CommitScope scope, SessionRow session, PreparedMessage message) {
        MessageDraft draft = checked(message);
        Optional<MessageRow> found = scope.reads().message(session.key(), draft.id());
        return found.isPresent()
                ? new PutResult(found.get().id(), Change.UNCHANGED, found.get().seq())
                : insert(scope, session, message);
    }

    private MessageDraft checked(PreparedMessage message) {
        MessageDraft draft = message.draft();
        if (draft.content().length > limits.maxMessageBytes()) {
            throw new LimitExceeded(
                    "MAX_MESSAGE_BYTES",
                    limits.maxMessageBytes(),
                    draft.content().length,
                    "upload large attachments and refer to them");
        }
        return draft;
    }

    private static boolean same(CommitScope scope, MessageRow old, MessageDraft draft) {
        return old.bytes() == draft.content().length
                && old.role().equals(draft.role())
                && Arrays.equals(scope.reads().messageContent(old.sessionKey(), old.seq()), draft.content());
    }

    private PutResult insert(CommitScope scope, SessionRow session, PreparedMessage message) {
        return insert(scope, session, message, parent(scope, session, message.draft()), leaf(scope, session) + 1);
    }

    /**
     * As {@link #put}, but if it adds the message, the number below the new one stays free, for one that is to come before it: see
     * {@link #putInGap}.
     */
    PutResult putBehindGap(CommitScope scope, SessionRow session, PreparedMessage message) {
        MessageDraft draft = checked(message);
        if (scope.reads().message(session.key(), draft.id()).isPresent()) {
            return put(scope, session, message);
        }
        return insert(scope, session, message, parent(scope, session, draft), leaf(scope, session) + 2);
    }

    /**
     * As {@link #put}, but a message that it adds gets the number that was left free for it, and the first of the followers that hangs
     * under its parent and behind it moves under it. If the number is of no use any more, the message is added as any other.
     *
     * @param followers ids of messages that may have been added in front of this one
     */
    PutResult putInGap(
            CommitScope scope, SessionRow session, PreparedMessage message, long gap, Collection<String> followers) {
        MessageDraft draft = checked(message);
        boolean known = scope.reads().message(session.key(), draft.id()).isPresent();
        if (known || scope.reads().message(session.key(), gap).isPresent()) {
            return put(scope, session, message);
        }
        long parent = parent(scope, session, draft);
        if (parent >= gap) {
            return put(scope, session, message);
        }
        PutResult result = insert(scope, session, message, parent, gap);
        Stream.concat(
                        scope.reads().message(session.key(), gap + 1).stream(),
                        followers.stream().flatMap(id -> scope.reads().message(session.key(), id).stream()))
                .filter(row -> row.seq() > gap && row.parentSeq() == parent)
                .findFirst()
                .ifPresent(row -> move(scope, session, row, gap));
        return result;
    }

    private void move(CommitScope scope, SessionRow session, MessageRow row, long parent) {
        scope.writes().moveMessage(session.key(), row.seq(), parent);
        feed.append(scope, session, FeedRow.Kind.MESSAGE_UPDATED, row.id(), null, "moved");
    }

    private static long leaf(CommitScope scope, SessionRow session) {
        return scope.reads().activeLeaf(session.key()).map(MessageRow::seq).orElse(0L);
    }

    private static long parent(CommitScope scope, SessionRow session, MessageDraft draft) {
        return switch (draft.placement()) {
            case Placement.UnderLeaf any -> leaf(scope, session);
            case Placement.Root root -> 0;
            case Placement.Under under ->
                require(scope, session, under.parent()).seq();
            case Placement.Beside beside ->
                require(scope, session, beside.sibling()).parentSeq();
        };
    }

    private static MessageRow require(CommitScope scope, SessionRow session, String id) {
        return scope.reads().message(session.key(), id).orElseThrow(() -> new MessageNotFound(session.id(), id));
    }

    private PutResult insert(CommitScope scope, SessionRow session, PreparedMessage message, long parent, long number) {
        MessageDraft draft = message.draft();
        MessageRow row = new MessageRow(
                session.key(),
                number,
                draft.id(),
                parent,
                draft.role(),
                draft.content().length,
                scope.now(),
                scope.now());
        scope.writes().insertMessage(row, draft.content());
        if (!message.words().isEmpty()) {
            scope.writes().putWords(words(row, message));
        }
        attachments.added(scope, session, row, message);
        feed.append(scope, session, FeedRow.Kind.MESSAGE_ADDED, row.id(), draft.turnId(), null);
        return new PutResult(row.id(), Change.INSERTED, row.seq());
    }

    private static WordsRow words(MessageRow row, PreparedMessage message) {
        return new WordsRow(row.sessionKey(), row.seq(), row.createdAt(), message.words());
    }

    /**
     * Deletes messages; unknown ids are passed over. Children that stay move to the nearest ancestor that stays.
     *
     * @return how many were deleted
     */
    int delete(CommitScope scope, SessionRow session, Collection<String> ids) {
        List<MessageRow> doomed = new ArrayList<>();
        for (String id : new LinkedHashSet<>(ids)) {
            scope.reads().message(session.key(), id).ifPresent(doomed::add);
        }
        doomed.sort(Comparator.comparingLong(MessageRow::seq));
        Map<Long, Long> heirs = heirs(doomed);
        int moved = 0;
        for (MessageRow row :
                doomed.reversed()) { // children before parents, so that the children left are the ones that stay
            long heir = heirs.getOrDefault(row.seq(), 0L);
            List<MessageRow> children = scope.reads().children(session.key(), row.seq(), CHILDREN_PER_STEP);
            while (!children.isEmpty()) {
                moved += children.size();
                checkMoved(moved);
                for (MessageRow child : children) {
                    scope.writes().moveMessage(session.key(), child.seq(), heir);
                }
                children = scope.reads().children(session.key(), row.seq(), CHILDREN_PER_STEP);
            }
            scope.writes().deleteMessage(session.key(), row.seq());
        }
        if (!doomed.isEmpty()) {
            attachments.freed(scope);
        }
        for (MessageRow row : doomed) {
            feed.append(scope, session, FeedRow.Kind.MESSAGE_DELETED, row.id(), null, null);
        }
        return doomed.size();
    }

    /** For each deleted message, ancestors first, the nearest ancestor that stays; 0 for none. */
    private static Map<Long, Long> heirs(List<MessageRow> doomedBySeq) {
        Map<Long, Long> heirs = new HashMap<>();
        for (MessageRow row : doomedBySeq) {
            Long grandparent = heirs.get(row.parentSeq());
            heirs.put(row.seq(), grandparent == null ? row.parentSeq() : grandparent);
        }
        return heirs;
    }

    private static void checkMoved(int moved) {
        if (moved > SessionLimits.MAX_MOVED_MESSAGES) {
            throw new LimitExceeded(
                    "MAX_MOVED_MESSAGES",
                    SessionLimits.MAX_MOVED_MESSAGES,
                    moved,
                    "delete some of the children of these messages first");
        }
    }

    /**
     * Deletes all messages.
     *
     * @return how many there were
     */
    int clear(CommitScope scope, SessionRow session) {
        long count = scope.reads().messageCount(session.key());
        if (count == 0) {
            return 0;
        }
        if (count > SessionLimits.MAX_CLEARED_MESSAGES) {
            throw new LimitExceeded(
                    "MAX_CLEARED_MESSAGES",
                    SessionLimits.MAX_CLEARED_MESSAGES,
                    count,
                    "delete the session instead and create it anew");
        }
        while (scope.writes().clearMessages(session.key(), CLEARED_PER_STEP) == CLEARED_PER_STEP) {
            // a step at a time, so that the store never holds a list of all of them
        }
        attachments.freed(scope);
        feed.append(scope, session, FeedRow.Kind.MESSAGES_CLEARED, null, null, null);
        return Math.toIntExact(count);
    }
}
