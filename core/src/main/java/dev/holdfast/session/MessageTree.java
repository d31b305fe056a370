package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.MessageDraft.Placement;
import dev.holdfast.session.PutResult.Change;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the tree of a session's messages, and the feed event of each change with it.
 *
 * <p><b>The tree.</b> A message's number is above its parent's, always: it is given when the message is added, and a deleted message's
 * children move to an ancestor, whose number is lower still. So there are no cycles, the message with the highest number has no children,
 * and no walk needs recursion.
 *
 * <p>Holds no state: what it decides on is read in the transaction that writes.
 */
final class MessageTree {

    private static final int CHILDREN_PER_STEP = 256;
    private static final int CLEARED_PER_STEP = 1000;

    private final FeedLog feed;
    private final SessionLimits limits;

    MessageTree(FeedLog feed, SessionLimits limits) {
        this.feed = feed;
        this.limits = limits;
    }

    /** Adds the message, or replaces the content and role of the one that has its id. */
    PutResult put(CommitScope scope, SessionRow session, MessageDraft draft) {
        checkSize(draft);
        Optional<MessageRow> found = scope.reads().message(session.key(), draft.id());
        if (found.isEmpty()) {
            return insert(scope, session, draft);
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
        feed.append(scope, session, FeedRow.Kind.MESSAGE_UPDATED, row.id(), draft.turnId(), null);
        return new PutResult(row.id(), Change.UPDATED, row.seq());
    }

    /** Adds the message, unless one has its id: that one stays as it is. */
    PutResult add(CommitScope scope, SessionRow session, MessageDraft draft) {
        checkSize(draft);
        Optional<MessageRow> found = scope.reads().message(session.key(), draft.id());
        return found.isPresent()
                ? new PutResult(found.get().id(), Change.UNCHANGED, found.get().seq())
                : insert(scope, session, draft);
    }

    private void checkSize(MessageDraft draft) {
        if (draft.content().length > limits.maxMessageBytes()) {
            throw new LimitExceeded(
                    "MAX_MESSAGE_BYTES",
                    limits.maxMessageBytes(),
                    draft.content().length,
                    "keep large attachments elsewhere and refer to them");
        }
    }

    private static boolean same(CommitScope scope, MessageRow old, MessageDraft draft) {
        return old.bytes() == draft.content().length
                && old.role().equals(draft.role())
                && Arrays.equals(scope.reads().messageContent(old.sessionKey(), old.seq()), draft.content());
    }

    private PutResult insert(CommitScope scope, SessionRow session, MessageDraft draft) {
        long leaf = scope.reads().activeLeaf(session.key()).map(MessageRow::seq).orElse(0L);
        long parent = switch (draft.placement()) {
            case Placement.UnderLeaf any -> leaf;
            case Placement.Root root -> 0;
            case Placement.Under under ->
                scope.reads()
                        .message(session.key(), under.parent())
                        .orElseThrow(() -> new MessageNotFound(session.id(), under.parent()))
                        .seq();
        };
        MessageRow row = new MessageRow(
                session.key(),
                leaf + 1,
                draft.id(),
                parent,
                draft.role(),
                draft.content().length,
                scope.now(),
                scope.now());
        scope.writes().insertMessage(row, draft.content());
        feed.append(scope, session, FeedRow.Kind.MESSAGE_ADDED, row.id(), draft.turnId(), null);
        return new PutResult(row.id(), Change.INSERTED, row.seq());
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
        feed.append(scope, session, FeedRow.Kind.MESSAGES_CLEARED, null, null, null);
        return Math.toIntExact(count);
    }
}
