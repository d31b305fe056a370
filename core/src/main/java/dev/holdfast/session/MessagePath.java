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

        /** A walk that is expected to go far. */
        static Walk far(StoreReads reads, SessionRow session, long fromSeq) {
            return new Walk(reads, session, fromSeq, ROWS_PER_LONG_STEP);
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

    /** Which messages a path has, to find them again later. */
    static final class Noted {
        /** Numbers and fingerprints in turn, newest first. */
        private long[] notes = new long[64];

        private int size;

        int size() {
            return size;
        }

        private void add(MessageRow row) {
            if (2 * size == notes.length) {
                notes = Arrays.copyOf(notes, 4 * size);
            }
            notes[2 * size] = row.seq();
            notes[2 * size + 1] = fingerprint(row);
            size++;
        }

        /** The message at this place of the path, root first; null if it was deleted, even if its number was given again. */
        @Nullable
        MessageRow find(StoreReads reads, long sessionKey, int place) {
            int at = 2 * (size - 1 - place);
            return reads.message(sessionKey, notes[at])
                    .filter(row -> fingerprint(row) == notes[at + 1])
                    .orElse(null);
        }

        private static long fingerprint(MessageRow row) {
            return 31 * row.createdAt() + ((long) row.id().hashCode() << 32);
        }
    }

    /** Notes the whole path that ends with this message. */
    static Noted noted(StoreReads reads, SessionRow session, MessageRow last) {
        Noted path = new Noted();
        Walk walk = Walk.far(reads, session, last.seq());
        for (MessageRow row = walk.next(); row != null; row = walk.next()) {
            if (path.size() == SessionLimits.MAX_PATH_MESSAGES) {
                throw new LimitExceeded(
                        "MAX_PATH_MESSAGES", SessionLimits.MAX_PATH_MESSAGES, path.size() + 1L, "read it newest first");
            }
            path.add(row);
        }
        return path;
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
