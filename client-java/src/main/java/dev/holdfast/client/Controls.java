package dev.holdfast.client;

import dev.holdfast.client.Calls.End;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands that are sent once: what was meant for a moment is not repeated later by itself. Those of before the connection wait for it; they do not wait
 * for the outbox, so that a stop is not held up by what it stops. Guarded by the client's monitor.
 */
final class Controls implements Part {

    /** Commands that may wait or be under way. */
    static final int MAX_COMMANDS = 100;

    private final Monitor monitor;
    private final Calls calls;
    private final Supplier<Connector> connector;
    private final Executor executor;
    private final Deque<Item<?>> waiting = new ArrayDeque<>();
    private final Set<Item<?>> underWay = new LinkedHashSet<>();
    private @Nullable Link link;

    Controls(Monitor monitor, ClientSettings settings, Calls calls, Supplier<Connector> connector) {
        this.connector = connector;
        this.monitor = monitor;
        this.calls = calls;
        this.executor = settings.executor();
    }

    private record Item<T>(ClientMessage command, Class<T> type, CompletableFuture<T> result) {}

    <T> CompletableFuture<T> add(ClientMessage command, Class<T> type) {
        ClientException refusal = connector.get().refusal();
        if (refusal != null) {
            throw refusal;
        }
        if (waiting.size() + underWay.size() >= MAX_COMMANDS) {
            throw new ClientException.Full(
                    "%d commands wait for an answer, the most there may be.".formatted(MAX_COMMANDS));
        }
        Item<T> item = new Item<>(command, type, new CompletableFuture<>());
        if (link == null) {
            waiting.addLast(item);
        } else {
            start(link, item);
        }
        return item.result();
    }

    private <T> void start(Link present, Item<T> item) {
        if (item.result().isCancelled()) {
            return;
        }
        underWay.add(item);
        calls.start(present, item.command(), end -> {
            underWay.remove(item);
            switch (end) {
                case End.Unanswered none -> fail(item, new ClientException.Unanswered(none.why()));
                case End.Answered(Reply reply) when reply.succeeded() -> succeed(item, reply);
                case End.Answered(Reply reply) -> fail(item, new ClientException.Refused(reply.problemOrStatus()));
            }
        });
    }

    private <T> void succeed(Item<T> item, Reply reply) {
        try {
            T result = MessageJson.convert(reply.result(), item.type());
            monitor.then(() -> executor.execute(() -> item.result().complete(result)));
        } catch (MalformedMessage e) {
            fail(item, new ClientException.Unanswered(String.valueOf(e.getMessage())));
        }
    }

    private void fail(Item<?> item, ClientException why) {
        monitor.then(() -> executor.execute(() -> item.result().completeExceptionally(why)));
    }

    @Override
    public void connected(Link connected) {
        link = connected;
        List<Item<?>> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(item -> start(connected, item));
    }

    @Override
    public void lost(String why) {
        link = null;
        underWay.forEach(item -> fail(item, new ClientException.Unanswered("The connection was lost: " + why)));
        underWay.clear();
    }

    @Override
    public void ended(ClientException why) {
        waiting.forEach(item -> Part.fail(monitor, item.result(), why));
        waiting.clear();
        underWay.forEach(item -> Part.fail(monitor, item.result(), why));
        underWay.clear();
    }
}
