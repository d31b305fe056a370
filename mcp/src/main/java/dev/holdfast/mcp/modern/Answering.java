package dev.holdfast.mcp.modern;

import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.mcp.McpProblem;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.server.McpTransportResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * One request and the way of its answer to the client. An answer that comes soon is JSON; a stream, and whatever takes longer than the time
 * between two keep-alives, is server-sent events: a silent connection could not be told from a cut one. When the connection is cut the work is
 * cancelled, as this revision demands.
 *
 * <p>Between two writes the exchange has no thread.
 */
final class Answering implements Exchange.Rest, Work.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Answering.class);

    private static final Map<String, String> INTERNAL = Map.of("reason", "internal-error");

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FRAME_BEGINS = "event: message\ndata: ".getBytes(StandardCharsets.US_ASCII);

    /** Who listens is only told of changes: one who is slow is cut, and whoever tells of a change never waits. */
    private static final String LISTEN = "subscriptions/listen";

    private static final Headers.Block EVENTS = Headers.Block.of(
            "Content-Type", "text/event-stream; charset=utf-8",
            "Cache-Control", "no-store, no-transform",
            "X-Accel-Buffering", "no",
            "X-Content-Type-Options", "nosniff");

    private static final Headers.Block WHOLE = Headers.Block.of(
            "Content-Type", "application/json", "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff");

    /** The statuses of JSON-RPC's errors; 200 for any other. */
    private static final Map<Integer, Integer> STATUSES = Map.of(
            -32700,
            400,
            -32600,
            400,
            -32602,
            400,
            MirroredHeaders.HEADER_MISMATCH,
            400,
            -32021,
            400,
            -32022,
            400,
            -32601,
            404);

    private final ModernEra era;
    private final Exchange exchange;
    private final Object id;
    private final boolean listens;
    private final Work work;
    private final Outbox outbox;

    /** The answer that came without a stream. */
    private volatile @Nullable JSONRPCResponse answer;

    private volatile boolean streams;
    private volatile @Nullable Runnable wake;

    // Of the thread that runs a part.
    private Exchange.@Nullable Sink sink;
    private Deadlines.@Nullable Deadline deadline;
    private long sentAt;

    Answering(ModernEra era, Exchange exchange, JSONRPCRequest request, Supplier<Mono<McpTransportResponse>> handling) {
        this.era = era;
        this.exchange = exchange;
        this.id = request.id();
        this.listens = request.method().equals(LISTEN);
        this.outbox = new Outbox(era.maxUnsentBytes());
        this.work = new Work(handling, this);
    }

    @Override
    public boolean goOn(Runnable again) throws IOException {
        if (exchange.gone()) {
            throw new IOException("The client is gone");
        }
        if (wake == null) {
            wake = again;
            deadline = era.deadlines().of(again);
            sentAt = era.now();
            work.start();
        }
        return write() && await();
    }

    /** Writes what there is. Returns whether more may come. */
    private boolean write() throws IOException {
        JSONRPCResponse whole = answer;
        if (whole != null) {
            if (sink == null) {
                exchange.answer(status(whole), new Headers().add(WHOLE), era.encode(whole));
            } else {
                send(frame(whole));
            }
            return false;
        }
        if (streams && sink == null) {
            begin();
        }
        for (byte[] frame : outbox.take()) {
            send(frame);
        }
        return switch (outbox.drained()) {
            case OPEN -> {
                keepAlive();
                yield true;
            }
            case COMPLETE -> false;
            case BROKEN -> throw new IOException("The answer broke off");
        };
    }

    private static int status(JSONRPCResponse response) {
        return response.error() == null
                ? 200
                : STATUSES.getOrDefault(response.error().code(), 200);
    }

    private void begin() throws IOException {
        sink = exchange.respond(200, new Headers().add(EVENTS));
        sink.flush();
        sentAt = era.now();
    }

    private void keepAlive() throws IOException {
        if (era.now() - silentUntil() >= 0) {
            if (sink == null) {
                begin();
            }
            send(COMMENT);
        }
    }

    private void send(byte[] bytes) throws IOException {
        Exchange.Sink to = sink;
        if (to == null) {
            throw new IllegalStateException("The response was not begun");
        }
        to.write(bytes);
        to.flush();
        sentAt = era.now();
    }

    private long silentUntil() {
        return sentAt + era.keepAlive().toNanos();
    }

    private boolean await() {
        if (deadline != null) {
            deadline.set(silentUntil());
        }
        return true;
    }

    @Override
    public void answered(JSONRPCResponse response) {
        answer = response;
        awake();
    }

    @Override
    public void streams() {
        streams = true;
        awake();
    }

    @Override
    public void message(JSONRPCMessage message) {
        byte[] frame = frame(message);
        if (listens || !Thread.currentThread().isVirtual()) {
            if (!outbox.offer(frame)) {
                LOG.debug("A client that is more than {} bytes behind is cut", era.maxUnsentBytes());
                outbox.end(Outbox.State.BROKEN);
                work.cancel();
                exchange.abort();
            }
        } else {
            try {
                outbox.put(frame);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        awake();
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        if (failure != null && !streams) { // what failed before there was an answer is one
            answered(
                    JSONRPCResponse.error(id, new JSONRPCError(McpProblem.INTERNAL_ERROR, "Internal error", INTERNAL)));
        }
        outbox.end(failure == null ? Outbox.State.COMPLETE : Outbox.State.BROKEN);
        awake();
    }

    private byte[] frame(JSONRPCMessage message) {
        byte[] json = era.encode(message);
        byte[] frame = new byte[FRAME_BEGINS.length + json.length + 2];
        System.arraycopy(FRAME_BEGINS, 0, frame, 0, FRAME_BEGINS.length);
        System.arraycopy(json, 0, frame, FRAME_BEGINS.length, json.length);
        frame[frame.length - 2] = '\n';
        frame[frame.length - 1] = '\n';
        return frame;
    }

    private void awake() {
        Runnable again = wake;
        if (again != null) {
            again.run();
        }
    }

    /** Ends it from outside: a client that listens is told the end properly, every other one is cut. */
    void shut() {
        if (!listens) {
            exchange.abort(); // first, so that what the work comes to when it is cancelled does not look like an answer
            work.cancel();
        }
    }

    @Override
    public void close() {
        outbox.end(Outbox.State.BROKEN); // who waits for room need not
        work.cancel();
        if (deadline != null) {
            deadline.cancel();
        }
        era.done(this);
    }
}
