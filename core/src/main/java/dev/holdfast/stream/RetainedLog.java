package dev.holdfast.stream;

import dev.holdfast.store.Backoff;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * How much of the log there is, and what of its front can be released.
 *
 * <p>An entry is <i>retained</i> while a stream may hold an unsealed chunk of it, then <i>releasable</i>, until its deletion is committed.
 * The log is released in steps, so a lone turn pays no transaction for it. Confined to the committer's thread.
 */
final class RetainedLog {

    private record Entry(long position, int bytes) {}

    private final StreamLimits limits;
    private final Backoff backoff;

    /** Log entries that a stream may still need, oldest first. */
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    private long retainedBytes;
    private long releasableTo;
    private long releasableBytes;
    private long lastPosition;
    private long lastEntryBytes;
    private long releasedTo;

    RetainedLog(StreamLimits limits, Backoff backoff) {
        this.limits = limits;
        this.backoff = backoff;
    }

    /** A log entry exists. Told once or more for each, in the order of positions. */
    void logged(long position, int bytes) {
        if (position > lastPosition) {
            lastPosition = position;
            entries.addLast(new Entry(position, bytes));
            retainedBytes += bytes;
            lastEntryBytes = bytes;
        }
    }

    /** Position of the newest entry. */
    long lastPosition() {
        return lastPosition;
    }

    /** Size of the newest entry. */
    long lastEntryBytes() {
        return lastEntryBytes;
    }

    /** Whether streams must be sealed, so that what they hold back can go. */
    boolean isPressed() {
        return retainedBytes > limits.maxJournalBytes() - limits.trimStepBytes();
    }

    /** Bytes that unsealed chunks hold back, and that can be released. */
    long bytes() {
        return retainedBytes + releasableBytes;
    }

    /** The position up to which entries were released. */
    long releasedTo() {
        return releasedTo;
    }

    /** No stream needs an entry at or below this position any more. */
    void unneededTo(long position) {
        while (!entries.isEmpty() && entries.peekFirst().position() <= position) {
            Entry entry = entries.removeFirst();
            retainedBytes -= entry.bytes();
            releasableBytes += entry.bytes();
            releasableTo = entry.position();
        }
    }

    /** The release that is due, or null. */
    @Nullable
    UpkeepTask due() {
        return releasableBytes >= limits.trimStepBytes() ? new Release(releasableTo) : null;
    }

    private final class Release extends UpkeepTask implements CommitScope.Staged {
        private final long upTo;
        private long reached;

        Release(long upTo) {
            super(backoff);
            this.upTo = upTo;
        }

        @Override
        protected Boolean decide(CommitScope scope) {
            reached = scope.writes().releaseLog(upTo);
            scope.stage(this);
            return true;
        }

        @Override
        public void apply(StoreTransaction.Receipt receipt) {
            releasedTo = reached;
            if (reached >= upTo && upTo == releasableTo) {
                releasableBytes = 0;
            }
        }

        @Override
        public void discard() {}

        @Override
        void retry() {} // it stays due
    }
}
