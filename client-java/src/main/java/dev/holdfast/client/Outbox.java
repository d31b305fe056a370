package dev.holdfast.client;

import dev.holdfast.client.Calls.End;
import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is sent, in order, one at a time, each until it is answered. What was not answered is repeated under the same id, so nothing is lost and nothing is
 * started twice (G5, G12). Guarded by the client's monitor; the store by a lock of its own, because disks are slow.
 */
final class Outbox implements Part {

    /** Entries that may wait. */
    static final int MAX_ENTRIES = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Pauses REPETITIONS = new Pauses(Duration.ofSeconds(1), Duration.ofSeconds(10));

    private final Monitor monitor;
    private final Executor executor;
    private final Calls calls;
    private final OutboxStore store;
    private final ReentrantLock storing = new ReentrantLock();
    private final Supplier<Connector> connector;

    private final Deque<Item> items = new ArrayDeque<>();
    private @Nullable Item inFlight;
    private @Nullable Link link;
    private final Alarm pause;

    Outbox(Monitor monitor, ClientSettings settings, Calls calls, Supplier<Connector> connector) {
        this.monitor = monitor;
        this.pause = new Alarm(monitor, settings.timers());
        this.executor = settings.executor();
        this.calls = calls;
        this.store = settings.outbox();
        this.connector = connector;
    }

    private static final class Item {
        final OutboxEntry entry;
        final CompletableFuture<Receipt> receipt = new CompletableFuture<>();
        int attempts;
        int failures;

        Item(OutboxEntry entry) {
            this.entry = entry;
        }
    }

    /** Takes what is in the store. Before anything else is called. */
    void load() throws IOException {
        for (OutboxEntry entry : store.load()) {
            items.addLast(new Item(entry));
        }
    }

    /** Adds an entry, made in the order of the calls. Not under the monitor. */
    CompletableFuture<Receipt> add(Supplier<OutboxEntry> maker) {
        Item item = keep(maker);
        var unused = item.receipt.whenComplete((receipt, failure) -> {
            if (item.receipt.isCancelled()) {
                monitor.change(() -> withdraw(item));
            }
        });
        monitor.change(this::pump);
        return item.receipt;
    }

    private Item keep(Supplier<OutboxEntry> maker) {
        storing.lock();
        try {
            Item item = monitor.decide(() -> {
                checkOpen();
                if (items.size() >= MAX_ENTRIES) {
                    throw new ClientException.Full(
                            "%d messages wait to be sent, the most there may be. Wait until the server is reached."
                                    .formatted(MAX_ENTRIES));
                }
                return new Item(maker.get());
            });
            store.put(item.entry);
            monitor.change(() -> {
                items.addLast(item);
                ClientException refusal = connector.get().refusal();
                if (refusal != null) {
                    Part.fail(monitor, item.receipt, refusal); // it has ended meanwhile
                }
            });
            return item;
        } catch (IOException e) {
            throw new UncheckedIOException("The outbox cannot be written, so nothing was sent.", e);
        } finally {
            storing.unlock();
        }
    }

    private void checkOpen() {
        ClientException refusal = connector.get().refusal();
        if (refusal != null) {
            throw refusal;
        }
    }

    /** What was not answered yet, with how often it was sent. */
    List<SessionClient.Unsent> unsent() {
        return items.stream()
                .map(item -> new SessionClient.Unsent(item.entry, item.attempts))
                .toList();
    }

    private void withdraw(Item item) {
        if (inFlight != item && items.remove(item)) {
            forget(item);
            pump();
        }
    }

    private void forget(Item item) {
        monitor.then(() -> {
            storing.lock();
            try {
                store.remove(item.entry);
            } catch (IOException e) {
                LOG.warn(
                        "An outbox could not forget {}, which is answered; it may be sent once more",
                        item.entry.id(),
                        e);
            } finally {
                storing.unlock();
            }
        });
    }

    @Override
    public void connected(Link connected) {
        link = connected;
        pump();
    }

    @Override
    public void lost(String why) {
        link = null;
        inFlight = null;
        pause.stop();
    }

    @Override
    public void ended(ClientException why) {
        items.forEach(item -> Part.fail(monitor, item.receipt, why));
    }

    private void pump() {
        Link present = link;
        if (present == null || inFlight != null || pause.isSet()) {
            return;
        }
        Item first = items.peekFirst();
        while (first != null && first.receipt.isCancelled()) {
            settle(first);
            first = items.peekFirst();
        }
        if (first != null) {
            send(present, first);
        }
    }

    private void send(Link present, Item first) {
        inFlight = first;
        first.attempts++;
        calls.start(present, first.entry.command(), end -> answered(present, first, end));
    }

    private void answered(Link from, Item item, End end) {
        inFlight = null;
        switch (end) {
            case End.Unanswered none -> again(item, Duration.ZERO);
            case End.Answered(Reply reply) when reply.succeeded() -> accepted(item, reply);
            case End.Answered(Reply reply) -> refused(from, item, reply.problemOrStatus());
        }
    }

    private void accepted(Item item, Reply reply) {
        Receipt receipt;
        try {
            receipt = MessageJson.convert(reply.result(), Receipt.class);
        } catch (MalformedMessage e) {
            LOG.warn("What answered a message is no receipt, so the message is sent again: {}", e.getMessage());
            again(item, Duration.ZERO);
            return;
        }
        connector.get().progress();
        settle(item);
        monitor.then(() -> executor.execute(() -> item.receipt.complete(receipt)));
        pump();
    }

    private void refused(Link from, Item item, Problem problem) {
        int status = problem.status();
        if (Replies.isOfConnection(problem)) {
            connector.get().lose(from, problem.detail());
        } else if (status >= 400 && status < 500 && status != 408 && status != 429) {
            settle(item);
            ClientException why = new ClientException.Refused(problem);
            monitor.then(() -> executor.execute(() -> item.receipt.completeExceptionally(why)));
            pump();
        } else {
            Integer seconds = problem.retryAfterSeconds();
            again(item, Duration.ofSeconds(seconds == null ? 0 : seconds));
        }
    }

    private void settle(Item item) {
        items.remove(item);
        forget(item);
    }

    /** Sends it again after a pause, and nothing before it. */
    private void again(Item item, Duration asked) {
        if (item.receipt.isCancelled()) {
            withdraw(item);
            return;
        }
        Duration own = REPETITIONS.plain(item.failures++);
        Duration longer = asked.compareTo(Connector.MAX_PAUSE) > 0 ? Connector.MAX_PAUSE : asked;
        pause.set(own.compareTo(longer) > 0 ? own : longer, this::pump);
    }
}
