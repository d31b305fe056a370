package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.Pause;
import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.mcp.events.McpEventStore;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one POST: what its requests are answered with, and which of them still wait.
 *
 * <p>A request is answered once: by its answer, by being cancelled, or by the error that a restart leaves; whichever comes first takes its id
 * out of the set, under the lock (ONE-OUTCOME). The last answer and the end of the stream are one commit. An answer that cannot be stored for
 * the moment is tried again, and the stream stays open until it is. Thread-safe.
 */
final class CallLog {

    private static final Logger LOG = LoggerFactory.getLogger(CallLog.class);

    private static final Executor APART =
            work -> Thread.ofVirtual().name("holdfast-mcp-answer").start(work);

    private final EventLog log;
    private final McpJsonMapper mapper;
    private final Services services;
    private final Runnable onEnd;

    private final ReentrantLock lock = new ReentrantLock();

    /** Ids that wait for an answer. Guarded by lock, as all below. */
    private final Set<Object> waiting;

    private CompletableFuture<Void> answers = CompletableFuture.completedFuture(null);
    private long bytes;

    /**
     * @param waiting ids that are to be answered; not none
     * @param onEnd runs once, when the stream is ended for good or cannot be
     */
    CallLog(EventLog log, Collection<Object> waiting, Services services, Runnable onEnd) {
        this.log = log;
        this.waiting = new HashSet<>(waiting);
        this.mapper = services.mapper();
        this.services = services;
        this.onEnd = onEnd;
    }

    String stream() {
        return log.stream();
    }

    boolean waitsFor(Object key) {
        lock.lock();
        try {
            return waiting.contains(key);
        } finally {
            lock.unlock();
        }
    }

    /** Stores a message. The future completes when it is durable; or, for one that comes when all is over, at once. */
    CompletableFuture<Void> send(McpSchema.JSONRPCMessage message) {
        if (message instanceof McpSchema.JSONRPCResponse response) {
            return answer(response);
        }
        byte[] encoded = encode(message);
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                LOG.debug("A message came after the last answer of its stream, and is dropped");
                return CompletableFuture.completedFuture(null);
            }
            bytes += encoded.length;
            long maxBytes = services.settings().limits().maxCallBytes();
            if (bytes > maxBytes) {
                return CompletableFuture.failedFuture(new HoldfastException.LimitExceeded(
                        "maxCallBytes", maxBytes, bytes, "send less while one request is answered"));
            }
            return log.send(encoded);
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<Void> answer(McpSchema.JSONRPCResponse response) {
        byte[] encoded = encodeAnswer(response);
        lock.lock();
        try {
            if (response.id() == null || !waiting.remove(Ids.key(response.id()))) {
                LOG.debug("Nobody waits for the answer to {} any more", response.id());
                return CompletableFuture.completedFuture(null);
            }
            if (!waiting.isEmpty()) {
                CompletableFuture<Void> stored = store(() -> log.send(encoded), Pause.FIRST);
                answers = CompletableFuture.allOf(answers, stored);
                return stored;
            }
            return ended(answers.thenCompose(before -> store(() -> log.sendLast(encoded), Pause.FIRST)));
        } finally {
            lock.unlock();
        }
    }

    /** Answers a request with an error, if it still waits. */
    CompletableFuture<Void> fail(Object id, String sentence, String reason) {
        return send(McpSchema.JSONRPCResponse.error(
                id,
                new McpSchema.JSONRPCResponse.JSONRPCError(
                        McpProblem.INTERNAL_ERROR, sentence, Map.of("reason", reason))));
    }

    /**
     * A request is not answered any more.
     *
     * @return completes when that is durable, so that no restart runs or answers it; empty if it did not wait
     */
    Optional<CompletableFuture<Void>> cancel(Object key) {
        lock.lock();
        try {
            if (!waiting.remove(key)) {
                return Optional.empty();
            }
            if (waiting.isEmpty()) {
                return Optional.of(ended(answers.thenCompose(before -> store(log::end, Pause.FIRST))));
            }
            byte[] id = Json.MAPPER.writeValueAsBytes(key);
            CompletableFuture<Void> stored = store(() -> log.cancelled(id), Pause.FIRST);
            answers = CompletableFuture.allOf(answers, stored);
            return Optional.of(stored);
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<Void> ended(CompletableFuture<Void> last) {
        return last.whenComplete((done, error) -> {
            if (error != null) {
                LOG.warn("The stream {} of a call could not be ended", log.stream(), error);
            }
            onEnd.run();
        });
    }

    private CompletableFuture<Void> store(Supplier<CompletableFuture<Void>> append, Pause pause) {
        CompletableFuture<Void> attempt;
        try {
            attempt = append.get();
        } catch (HoldfastException e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        return attempt.handle((stored, error) -> error == null ? null : cause(error))
                .thenCompose(error -> {
                    if (error == null || isOver(error)) {
                        return CompletableFuture.completedFuture(null);
                    }
                    if (!services.isPassing(error) || services.closed().get()) {
                        return CompletableFuture.failedFuture(error);
                    }
                    LOG.warn(
                            "An answer waits {} ms to be stored: {}",
                            pause.length().toMillis(),
                            error.getMessage());
                    return CompletableFuture.runAsync(pause::sleep, APART)
                            .thenCompose(rested -> store(append, pause.longer()));
                });
    }

    /** The stream was ended or deleted by somebody else, who had a reason. */
    private static boolean isOver(Throwable error) {
        return error instanceof HoldfastException.StreamClosed
                || error instanceof HoldfastException.StreamNotFound
                || error instanceof HoldfastException.StreamGone
                || error instanceof HoldfastException.StaleEpoch;
    }

    static Throwable cause(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause == null ? error : cause;
    }

    private byte[] encodeAnswer(McpSchema.JSONRPCResponse response) {
        String why;
        try {
            byte[] encoded = mapper.writeValueAsBytes(response);
            if (encoded.length <= McpEventStore.MAX_EVENT_BYTES) {
                return encoded;
            }
            why = "The answer has %d bytes; at most %d can be sent."
                    .formatted(encoded.length, McpEventStore.MAX_EVENT_BYTES);
        } catch (IOException | RuntimeException e) {
            LOG.warn("An answer is no JSON", e);
            why = "The answer could not be written as JSON.";
        }
        return encode(McpSchema.JSONRPCResponse.error(
                response.id(),
                new McpSchema.JSONRPCResponse.JSONRPCError(
                        McpProblem.INTERNAL_ERROR, why, Map.of("reason", "answer-not-sendable"))));
    }

    private byte[] encode(McpSchema.JSONRPCMessage message) {
        try {
            return mapper.writeValueAsBytes(message);
        } catch (IOException e) {
            throw new UncheckedIOException("The message could not be written as JSON", e);
        }
    }

    /** Nothing is waited for any more, and the stream stays as it is. */
    void abandon() {
        lock.lock();
        try {
            waiting.clear();
        } finally {
            lock.unlock();
        }
    }
}
