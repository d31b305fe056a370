package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of a session that is in memory, and how long it lives. A use is noted here and written at most once per tenth of the life.
 * Thread-safe.
 */
final class SessionLife {

    private static final Logger LOG = LoggerFactory.getLogger(SessionLife.class);

    private static final int WRITES_PER_LIFE = 10;

    private final Services services;
    private final String id;
    private final ReentrantLock writing = new ReentrantLock();

    // Written while holding writing.
    private long version;
    private volatile long writtenAt;
    private volatile SessionRecord record;

    private volatile long usedAt;

    SessionLife(Services services, String id, SessionStore.Stored stored) {
        this.services = services;
        this.id = id;
        this.record = stored.record();
        this.version = stored.version();
        this.writtenAt = stored.writtenAt();
        this.usedAt = services.wallMillis();
    }

    SessionRecord record() {
        return record;
    }

    private long lifeMillis() {
        return services.settings().sessionLife().toMillis();
    }

    long usedAt() {
        return usedAt;
    }

    boolean isOver() {
        return services.wallMillis() - usedAt > lifeMillis();
    }

    /**
     * Notes a use. That it cannot be written for the moment is no reason to refuse the use: the next one tries again.
     *
     * @return whether it was written, too
     */
    boolean touch() {
        long now = services.wallMillis();
        usedAt = now;
        if (now - writtenAt < lifeMillis() / WRITES_PER_LIFE || !writing.tryLock()) {
            return false;
        }
        try {
            write(record);
            return true;
        } catch (HoldfastException e) {
            LOG.debug("The use of a session was not written: {}", e.getMessage());
            return false;
        } finally {
            writing.unlock();
        }
    }

    /**
     * Changes what is stored; durable when it returns.
     *
     * @throws LimitExceeded if that is too much
     */
    void change(UnaryOperator<SessionRecord> change) {
        writing.lock();
        try {
            SessionRecord next = change.apply(record);
            if (next.subscriptions().size() > StreamableLimits.MAX_SUBSCRIPTIONS) {
                throw new LimitExceeded(
                        "MAX_SUBSCRIPTIONS",
                        StreamableLimits.MAX_SUBSCRIPTIONS,
                        next.subscriptions().size(),
                        "unsubscribe from resources that are not needed");
            }
            if (!next.equals(record)) {
                write(next);
            }
        } finally {
            writing.unlock();
        }
    }

    private void write(SessionRecord next) {
        version = services.sessions().update(id, next, version);
        record = next;
        writtenAt = services.wallMillis();
    }
}
