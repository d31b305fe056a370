package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session in memory: the SDK's session, its calls and its connections. Whoever uses it enters it and leaves it, so that only one that nobody
 * uses makes room for others. What must outlive this is in its record, which is written before anyone is told. Thread-safe.
 */
final class LiveSession {

    private static final Logger LOG = LoggerFactory.getLogger(LiveSession.class);

    private final String id;
    private final McpStreamableServerSession sdk;
    private final SessionLife life;
    private final Standalone standalone;
    private final Connections connections = new Connections();
    private final Calls calls;

    private final CountDownLatch forgotten = new CountDownLatch(1);

    // Guarded by this.
    private int users;
    private boolean gone;

    /** Its client ended it; otherwise one that is gone is in the store, and comes back. */
    private boolean deleted;

    LiveSession(Services services, String id, McpStreamableServerSession sdk, SessionStore.Stored stored) {
        this.id = id;
        this.sdk = sdk;
        this.life = new SessionLife(services, id, stored);
        this.standalone = new Standalone(services, id);
        this.calls = new Calls(services.settings().limits().maxCallsPerSession());
    }

    String id() {
        return id;
    }

    String revision() {
        return life.record().revision();
    }

    SessionRecord record() {
        return life.record();
    }

    McpStreamableServerSession sdk() {
        return sdk;
    }

    Connections connections() {
        return connections;
    }

    Calls calls() {
        return calls;
    }

    Standalone standalone() {
        return standalone;
    }

    boolean isOver() {
        return life.isOver();
    }

    /** When it was last used, wall clock, ms. */
    long usedAt() {
        return life.usedAt();
    }

    /** Begins to use it. Returns false if it is not in memory any more. */
    synchronized boolean enter() {
        if (gone) {
            return false;
        }
        users++;
        return true;
    }

    synchronized void leave() {
        users--;
    }

    /** Takes it out of use, if nobody uses it. Returns whether it did. */
    synchronized boolean retire() {
        boolean idle = users == 0 && !gone;
        gone |= idle;
        return idle;
    }

    /** Takes it out of use for good, whoever uses it. Returns whether it was in use until now. */
    synchronized boolean retireForGood() {
        deleted = true;
        return retireNow();
    }

    synchronized boolean isGone() {
        return gone;
    }

    synchronized boolean isDeleted() {
        return deleted;
    }

    /** Takes it out of use, whoever uses it. */
    synchronized boolean retireNow() {
        boolean first = !gone;
        gone = true;
        return first;
    }

    /** It is not in the table any more. */
    void forgotten() {
        forgotten.countDown();
    }

    /** Waits until one that is out of use is not in the table any more. */
    void awaitForgotten() {
        try {
            forgotten.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HoldfastException.Closed("The thread that waited for a session was interrupted.");
        }
    }

    /**
     * Another node may have written its record.
     *
     * @return what the SDK's session must be asked to know it
     */
    List<McpSchema.JSONRPCRequest> catchUp(SessionStore.Stored stored) {
        return life.catchUp(stored);
    }

    /** Notes a use. */
    void touch() {
        try {
            if (life.touch()) {
                standalone.touch();
            }
        } catch (HoldfastException e) {
            LOG.debug("The use of a session was not noted: {}", e.getMessage());
        }
    }

    /**
     * A connection of this session, which entered it, ended.
     *
     * @param reached up to where it carried the stream and went on afterwards
     */
    void detach(String stream, SseConnection connection, long reached) {
        connections.detach(stream, connection);
        try {
            if (stream.equals(Standalone.STREAM)) {
                standalone.reached(reached);
                standalone.rest();
            }
        } catch (HoldfastException e) {
            LOG.debug("How far a connection came was not noted: {}", e.getMessage());
        } finally {
            leave();
        }
    }

    /**
     * Stores what a request that was handled has set up in the SDK's session, which knows it in memory alone.
     *
     * @throws HoldfastException if it cannot be stored; the request must not be answered then
     */
    void remember(McpSchema.JSONRPCRequest request) {
        switch (request.method()) {
            case SessionLife.SET_LEVEL -> life.change(record -> record.withLevel(parameter(request, "level")));
            case SessionLife.SUBSCRIBE -> life.change(record -> record.subscribed(parameter(request, "uri")));
            case SessionLife.UNSUBSCRIBE -> life.change(record -> record.unsubscribed(parameter(request, "uri")));
            default -> {}
        }
    }

    private static String parameter(McpSchema.JSONRPCRequest request, String name) {
        return request.params() instanceof Map<?, ?> parameters && parameters.get(name) instanceof String text
                ? text
                : "";
    }
}
