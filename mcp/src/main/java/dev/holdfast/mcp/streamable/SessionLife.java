package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    static final String SET_LEVEL = "logging/setLevel";
    static final String SUBSCRIBE = "resources/subscribe";
    static final String UNSUBSCRIBE = "resources/unsubscribe";

    private final Services services;
    private final String id;
    private final ReentrantLock writing = new ReentrantLock();

    private static final String ID = "restored";

    // Written while holding writing.
    private long version;

    /** What the SDK's session was asked to know, but for what it was asked by its client since. */
    private SessionRecord known;

    private volatile long writtenAt;
    private volatile SessionRecord record;

    private volatile long usedAt;

    SessionLife(Services services, String id, SessionStore.Stored stored) {
        this.services = services;
        this.id = id;
        this.record = stored.record();
        this.known = stored.record();
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
            write(same -> same);
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
            SessionRecord next = checked(change.apply(record));
            if (next.equals(record)) {
                return;
            }
            write(before -> checked(change.apply(before)));
        } finally {
            writing.unlock();
        }
        services.nodes().changed(id);
    }

    private static SessionRecord checked(SessionRecord next) {
        if (next.subscriptions().size() > StreamableLimits.MAX_SUBSCRIPTIONS) {
            throw new LimitExceeded(
                    "MAX_SUBSCRIPTIONS",
                    StreamableLimits.MAX_SUBSCRIPTIONS,
                    next.subscriptions().size(),
                    "unsubscribe from resources that are not needed");
        }
        return next;
    }

    /** On what other nodes have written meanwhile, if they have; what they changed the SDK's session learns when it is entered next. */
    private void write(UnaryOperator<SessionRecord> change) {
        SessionRecord before = record;
        while (true) {
            SessionRecord next = change.apply(before);
            try {
                version = services.sessions().update(id, next, version);
                record = next;
                writtenAt = services.wallMillis();
                return;
            } catch (PreconditionFailed e) {
                SessionStore.Stored stored = services.sessions()
                        .find(id)
                        .filter(found -> found.version() != version)
                        .orElseThrow(() -> e);
                version = stored.version();
                before = stored.record();
            }
        }
    }

    /**
     * Takes over what another node has written.
     *
     * @return what the SDK's session must be asked to know it
     */
    List<McpSchema.JSONRPCRequest> catchUp(SessionStore.Stored stored) {
        writing.lock();
        try {
            if (stored.version() <= version && stored.record().equals(known)) {
                return List.of();
            }
            if (stored.version() > version) {
                version = stored.version();
                record = stored.record();
                writtenAt = services.wallMillis();
            }
            List<McpSchema.JSONRPCRequest> changes = changes(known, record);
            known = record;
            return changes;
        } finally {
            writing.unlock();
        }
    }

    /** What a new session of the SDK must be asked to know a record. */
    static List<McpSchema.JSONRPCRequest> setUpOf(SessionRecord record) {
        SessionRecord nothing =
                new SessionRecord(record.principal(), record.revision(), record.initialize(), null, List.of());
        return changes(nothing, record);
    }

    private static List<McpSchema.JSONRPCRequest> changes(SessionRecord before, SessionRecord now) {
        List<McpSchema.JSONRPCRequest> changes = new ArrayList<>();
        String level = now.level();
        if (level != null && !level.equals(before.level())) {
            changes.add(new McpSchema.JSONRPCRequest(SET_LEVEL, ID, Map.of("level", level)));
        }
        for (String uri : now.subscriptions()) {
            if (!before.subscriptions().contains(uri)) {
                changes.add(new McpSchema.JSONRPCRequest(SUBSCRIBE, ID, Map.of("uri", uri)));
            }
        }
        for (String uri : before.subscriptions()) {
            if (!now.subscriptions().contains(uri)) {
                changes.add(new McpSchema.JSONRPCRequest(UNSUBSCRIBE, ID, Map.of("uri", uri)));
            }
        }
        return changes;
    }
}
