package dev.holdfast.mcp.streamable;

import dev.holdfast.mcp.McpProblem;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * How many sessions are stored, at most: what expires by itself is not noticed, so this is never less than there are. Counted once, usually by who looks at all of them at the start,
 * and again when there seem to be too many, at most once per {@link StreamableLimits#BETWEEN_COUNTS}. Thread-safe.
 */
final class StoredCount {

    private final StreamableSettings settings;
    private final IntSupplier count;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.
    private int sessions = -1;
    private long countedAt;

    StoredCount(StreamableSettings settings, IntSupplier count) {
        this.settings = settings;
        this.count = count;
    }

    /**
     * Takes room for a session that is about to be stored.
     *
     * @throws McpProblem 503 if there is none
     */
    void take() {
        int max = settings.limits().maxStoredSessions();
        lock.lock();
        try {
            if (sessions < 0 || (sessions >= max && isCountable())) {
                sessions = count.getAsInt();
                countedAt = settings.time().monotonicNanos();
            }
            if (sessions >= max) {
                throw McpProblem.of(
                                503,
                                McpProblem.INTERNAL_ERROR,
                                "This server keeps %d sessions already (maxStoredSessions). End some, or come back later."
                                        .formatted(sessions))
                        .because("too-many-stored-sessions")
                        .retryAfter((int) StreamableLimits.BETWEEN_COUNTS.toSeconds());
            }
            sessions++;
        } finally {
            lock.unlock();
        }
    }

    /** Somebody has looked at all of them. Does nothing if they were counted before: some may have come since. */
    void counted(int all) {
        lock.lock();
        try {
            if (sessions < 0) {
                sessions = all;
                countedAt = settings.time().monotonicNanos();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isCountable() {
        return settings.time().monotonicNanos() - countedAt >= StreamableLimits.BETWEEN_COUNTS.toNanos();
    }

    /** A session was not stored after all, or was deleted. */
    void give() {
        lock.lock();
        try {
            if (sessions > 0) {
                sessions--;
            }
        } finally {
            lock.unlock();
        }
    }
}
