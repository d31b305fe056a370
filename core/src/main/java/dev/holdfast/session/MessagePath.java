package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks from a message towards its root, in steps and without recursion. Rows come without their contents; a content is read only once it
 * is known to be wanted. Numbers fall on the way to the root, so a walk ends; where they do not, the store is damaged and the walk says so.
 */
final class MessagePath {

    private static final int ROWS_PER_STEP = 64;
    private static final int ROWS_PER_LONG_STEP = 1024;

    private MessagePath() {}

    /** The rows of a path as they are walked, newest first. */
    static final class Walk {
        private final StoreReads reads;
        private final SessionRow session;
        private final int rowsPerStep;
        private List<MessageRow> step = List.of();
        private int at;
        private long nextSeq;

        Walk(StoreReads reads, SessionRow session, long fromSeq) {
            this(reads, session, fromSeq, ROWS_PER_STEP);
        }

        private Walk(StoreReads reads, SessionRow session, long fromSeq, int rowsPerStep) {
            this.reads = reads;
            this.session = session;
            this.nextSeq = fromSeq;
            this.rowsPerStep = rowsPerStep;
        }

        /** The next row without moving on, or null behind the root. */
        @Nullable
        MessageRow peek() {
            if (nextSeq == 0) {
                return null;
            }
            if (at == step.size()) {
                step = reads.ancestors(session.key(), nextSeq, rowsPerStep);
                at = 0;
            }
            if (step.isEmpty() || step.get(at).seq() != nextSeq) {
                throw damaged("has no message number " + nextSeq + ", which is the parent of another");
            }
            return step.get(at);
        }

        /** The next row, or null behind the root. */
        @Nullable
        MessageRow next() {
            MessageRow row = peek();
            if (row != null) {
                if (row.parentSeq() >= row.seq()) {
                    throw damaged("has message \"" + row.id() + "\" above its own parent");
                }
                at++;
                nextSeq = row.parentSeq();
            }
            return row;
        }

        private StoreDamaged damaged(String how) {
            return new StoreDamaged("Session \"%s\" %s. Restore the store from a backup.".formatted(session.id(), how));
        }
    }

    /** The newest messages of the path that ends with this one. */
    static RecentHistory recent(StoreReads reads, SessionRow session, MessageRow last, long maxBytes, int maxMessages) {
        List<MessageRow> rows = new ArrayList<>();
        long bytes = 0;
        Walk walk = new Walk(reads, session, last.seq());
        MessageRow next = walk.peek();
        while (next != null && (rows.isEmpty() || (bytes + next.bytes() <= maxBytes && rows.size() < maxMessages))) {
            rows.add(next);
            bytes += next.bytes();
            walk.next();
            next = walk.peek();
        }
        List<Message> messages = new ArrayList<>(rows.size());
        String parent = next == null ? null : next.id();
        for (MessageRow row : rows.reversed()) {
            messages.add(message(reads, row, parent));
            parent = row.id();
        }
        return new RecentHistory(List.copyOf(messages), next != null, bytes);
    }

    /** The numbers of the whole path, root first. */
    static long[] numbers(StoreReads reads, SessionRow session, MessageRow last) {
        long[] numbers = new long[64];
        int count = 0;
        Walk walk = new Walk(reads, session, last.seq(), ROWS_PER_LONG_STEP);
        for (MessageRow row = walk.next(); row != null; row = walk.next()) {
            if (count == SessionLimits.MAX_PATH_MESSAGES) {
                throw new LimitExceeded(
                        "MAX_PATH_MESSAGES", SessionLimits.MAX_PATH_MESSAGES, count + 1L, "read it newest first");
            }
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            numbers[count++] = row.seq();
        }
        long[] rootFirst = new long[count];
        for (int i = 0; i < count; i++) {
            rootFirst[i] = numbers[count - 1 - i];
        }
        return rootFirst;
    }

    /** A row's message with its content. */
    static Message message(StoreReads reads, MessageRow row) {
        return message(reads, row, parentId(reads, row));
    }

    static Message message(StoreReads reads, MessageRow row, @Nullable String parent) {
        return new Message(
                row.id(),
                parent,
                row.role(),
                reads.messageContent(row.sessionKey(), row.seq()),
                Instant.ofEpochMilli(row.createdAt()),
                Instant.ofEpochMilli(row.updatedAt()));
    }

    static @Nullable String parentId(StoreReads reads, MessageRow row) {
        return row.parentSeq() == 0
                ? null
                : reads.message(row.sessionKey(), row.parentSeq())
                        .map(MessageRow::id)
                        .orElse(null);
    }
}
