package dev.holdfast.mcp.streamable;

import dev.holdfast.mcp.McpProblem;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of one session that run, by the stream that they are answered on. Thread-safe. */
final class Calls {

    private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

    private final int max;
    private final AtomicInteger taken = new AtomicInteger();
    private final Map<String, RunningCall> running = new ConcurrentHashMap<>();

    /** Streams that this process writes, from before they are stored until they are ended. */
    private final Set<String> own = ConcurrentHashMap.newKeySet();

    private volatile boolean abandoned;

    Calls(int max) {
        this.max = max;
    }

    /**
     * Takes room for so many requests or notifications.
     *
     * @throws McpProblem 429 if there is none, 400 if there never will be
     */
    void take(int count) {
        if (count == 0) {
            return;
        }
        if (count > max) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "A session runs at most %d requests at once (maxCallsPerSession). Send fewer in one batch."
                                    .formatted(max))
                    .because("batch-too-large");
        }
        if (taken.addAndGet(count) > max) {
            give(count);
            throw McpProblem.of(
                            429,
                            McpProblem.INTERNAL_ERROR,
                            "This session has %d requests running at once already. Wait for one of them."
                                    .formatted(max))
                    .because("too-many-calls")
                    .retryAfter(StreamableLimits.RETRY_AFTER_SECONDS);
        }
    }

    /** Takes room for a call that must run. */
    void force(int count) {
        int unused = taken.addAndGet(count);
    }

    void give(int count) {
        int unused = taken.addAndGet(-count);
    }

    /** This process is about to store a stream, which is therefore not one that a stopped server has left. */
    void announce(String stream) {
        own.add(stream);
    }

    boolean isOwn(String stream) {
        return own.contains(stream);
    }

    void add(RunningCall call) {
        own.add(call.stream());
        running.put(call.stream(), call);
        if (abandoned) {
            call.abandon();
        }
    }

    void remove(String stream) {
        running.remove(stream);
        own.remove(stream);
    }

    /**
     * Cancels the request of this id, if exactly one that runs has it. Two POSTs may use the same id; which one is meant nobody can know, and to
     * stop the wrong one would be worse than to stop none.
     *
     * @return completes when it is durable
     */
    CompletableFuture<Void> cancel(Object id) {
        Object key = Ids.key(id);
        List<RunningCall> meant = running.values().stream()
                .filter(call -> call.log().waitsFor(key))
                .toList();
        if (meant.size() == 1) {
            return meant.getFirst().cancel(key);
        }
        if (meant.size() > 1) {
            LOG.warn(
                    "{} requests with the id {} run; the cancellation names all of them and cancels none",
                    meant.size(),
                    id);
        }
        return CompletableFuture.completedFuture(null);
    }

    /** How many running calls wait to answer a request of this id. */
    int waiting(Object id) {
        Object key = Ids.key(id);
        return (int) running.values().stream()
                .filter(call -> call.log().waitsFor(key))
                .count();
    }

    /** Stops all, and leaves their streams as they are. */
    void abandon() {
        abandoned = true;
        running.values().forEach(RunningCall::abandon);
        running.clear();
    }
}
