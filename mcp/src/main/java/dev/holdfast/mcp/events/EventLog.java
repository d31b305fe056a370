package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.StreamWriter;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Appends to one stream of a session. What was appended is durable when a method returns or its future completes, and no reader sees it
 * before. Thread-safe; messages are stored in the order in which they were given. There is nothing to close.
 */
public final class EventLog {

    private final McpEventStore store;
    private final String session;
    private final String stream;
    private final StreamWriter writer;

    EventLog(McpEventStore store, String session, String stream, StreamWriter writer) {
        this.store = store;
        this.session = session;
        this.stream = stream;
        this.writer = writer;
    }

    public String session() {
        return session;
    }

    public String stream() {
        return stream;
    }

    /**
     * Appends a message, which is not changed afterwards.
     *
     * @return its event id
     * @throws HoldfastException.LimitExceeded if it is larger than {@link McpEventStore#MAX_EVENT_BYTES}
     * @throws HoldfastException.StreamClosed if the stream was ended
     * @throws HoldfastException.StreamNotFound if it was cleared, or not used for too long
     * @throws HoldfastException.StaleEpoch if another log took the stream over
     */
    public String append(byte[] message) {
        return id(writer.append(request(message)));
    }

    /**
     * As {@link #append}, without waiting for the disk; only while too much is queued for it this waits.
     *
     * @return completes with the event id after the commit, or with the errors of {@link #append}
     */
    public CompletableFuture<String> appendAsync(byte[] message) {
        return submit(request(message)).thenApply(this::id);
    }

    /** As {@link #appendAsync}, for who does not need the id. */
    public CompletableFuture<Void> send(byte[] message) {
        return submit(request(message)).thenAccept(result -> {});
    }

    /**
     * Notes that a request of this stream is not answered any more, which {@link McpEventStore#cancelled} tells and no reader is given.
     * Otherwise as {@link #send}.
     *
     * @param requestId its JSON-RPC id, as JSON
     */
    public CompletableFuture<Void> cancelled(byte[] requestId) {
        return submit(AppendRequest.of(Framing.chunks(Framing.CANCELLED, requestId)))
                .thenAccept(result -> {});
    }

    /** Appends the last message and ends the stream, in one commit. Otherwise as {@link #send}. */
    public CompletableFuture<Void> sendLast(byte[] message) {
        return submit(request(message).settling()).thenAccept(result -> {});
    }

    /** Ends the stream; harmless when it is ended. What is stored stays readable for as long as its life says. */
    public CompletableFuture<Void> end() {
        return submit(AppendRequest.of(List.of()).settling()).thenAccept(result -> {});
    }

    /** Notes up to where the stream was delivered; see {@link #delivered}. Never goes back. */
    public void deliveredTo(long position) {
        AppendResult unused = writer.append(
                AppendRequest.of(List.of()).with(new AppendRequest.Checkpoint(McpEventStore.DELIVERED, position)));
    }

    /** Up to where the stream was delivered, as {@link #deliveredTo} noted; empty if that was never. */
    public OptionalLong delivered() {
        return writer.checkpoint(McpEventStore.DELIVERED);
    }

    private static AppendRequest request(byte[] message) {
        return AppendRequest.of(Framing.chunks(Framing.MESSAGE, message));
    }

    private CompletableFuture<AppendResult> submit(AppendRequest request) {
        try {
            return writer.appendAsync(request);
        } catch (Overloaded e) {
            return CompletableFuture.completedFuture(writer.append(request));
        }
    }

    private String id(AppendResult result) {
        return store.ids().writer(session, stream, writer.tail().incarnation()).id(result.nextSeq(), 0);
    }
}
