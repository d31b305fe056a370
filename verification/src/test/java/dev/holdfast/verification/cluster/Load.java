package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Clients of a cluster, of one session and one stream in each shard: a writer and a reader of the stream, and who starts turns and watches them. They go
 * from server to server as they like. Each keeps what it was told, for {@link #check}.
 */
final class Load implements AutoCloseable {

    private static final int NUMBERS = 30;
    private static final long MORE_APPENDS = 3;
    private static final long MORE_CHUNKS = 3;

    private final Servers servers;
    private final List<Client> clients = new ArrayList<>();
    private final List<Conversation> conversations = new ArrayList<>();
    private final List<StreamWriter> writers = new ArrayList<>();
    private final List<StreamTail> tails = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    Load(Servers servers, long seed) {
        this.servers = servers;
        Servers.namesOfAllShards("chat-").forEach(session -> {
            Conversation conversation = new Conversation(client(seed), session, NUMBERS);
            conversations.add(conversation);
            run(() -> {
                conversation.create();
                for (int turn = 0; !over; turn++) {
                    conversation.converse(turn);
                }
            });
        });
        Servers.namesOfAllShards("stream-").forEach(stream -> {
            StreamWriter writer = new StreamWriter(client(seed), stream);
            StreamTail tail = new StreamTail(client(seed), stream);
            writers.add(writer);
            tails.add(tail);
            run(() -> {
                writer.create();
                run(tail::followToTheEnd);
                while (!over) {
                    writer.append();
                }
                writer.finish();
            });
        });
    }

    private Client client(long seed) {
        Client client = new Client(servers::uri, seed + clients.size());
        clients.add(client);
        return client;
    }

    private interface Work {
        void run() throws Exception;
    }

    private void run(Work work) {
        Thread thread = Thread.ofVirtual().unstarted(() -> {
            try {
                work.run();
            } catch (Exception | AssertionError e) {
                failures.add(e);
            }
        });
        synchronized (threads) {
            threads.add(thread);
        }
        thread.start();
    }

    /** Fails with what a client found wrong. */
    private void noneFailed() {
        Throwable first = failures.peek();
        if (first != null) {
            throw new AssertionError("A client was told what cannot be: " + first.getMessage(), first);
        }
    }

    /** Waits until every session and every stream went on from where it is now, for its writer and its readers. */
    void awaitProgress() {
        List<Long> chunks = now(conversations, Conversation::chunks);
        List<Long> appends = now(writers, StreamWriter::acknowledged);
        List<Long> read = now(tails, StreamTail::count);
        await().until(() -> {
            noneFailed();
            return wentOn(conversations, Conversation::chunks, chunks, MORE_CHUNKS)
                    && wentOn(writers, StreamWriter::acknowledged, appends, MORE_APPENDS)
                    && wentOn(tails, StreamTail::count, read, MORE_APPENDS);
        });
    }

    /** Waits until so many more appends were acknowledged, wherever. */
    void awaitAppends(int more) {
        long enough = appends() + more;
        await().until(() -> {
            noneFailed();
            return appends() >= enough;
        });
    }

    private long appends() {
        return writers.stream().mapToLong(StreamWriter::acknowledged).sum();
    }

    private static <T> List<Long> now(List<T> clients, ToLongFunction<T> count) {
        return clients.stream().map(count::applyAsLong).toList();
    }

    private static <T> boolean wentOn(List<T> clients, ToLongFunction<T> count, List<Long> before, long more) {
        return IntStream.range(0, clients.size())
                .allMatch(i -> count.applyAsLong(clients.get(i)) >= before.get(i) + more);
    }

    /** Lets every client come to its end: turns to their outcomes, streams to being closed and read. */
    void finish() {
        over = true;
        await().until(() -> {
            noneFailed();
            synchronized (threads) {
                return threads.stream().noneMatch(Thread::isAlive);
            }
        });
        noneFailed();
    }

    /** Compares what the clients were told with what each server says, and with what is stored. All servers run. */
    void check() throws Exception {
        Client client = clients.getFirst();
        for (StreamWriter writer : writers) {
            List<String> written = IntStream.range(0, writer.acknowledged())
                    .mapToObj(number -> StreamWriter.message(writer.stream(), number))
                    .toList();
            assertThat(tails.get(writers.indexOf(writer)).messages())
                    .as("what the reader of %s got", writer.stream())
                    .isEqualTo(written);
            for (int server = 0; server < Servers.COUNT; server++) {
                assertThat(Said.stream(client, server, writer.stream()))
                        .as("%s at server %d", writer.stream(), server)
                        .isEqualTo(written);
            }
        }
        for (Conversation conversation : conversations) {
            for (int server = 0; server < Servers.COUNT; server++) {
                Said.check(client, server, conversation);
            }
        }
        try (Aftermath aftermath = new Aftermath(servers)) {
            for (Conversation conversation : conversations) {
                assertThat(aftermath.outcomes(conversation.session()))
                        .as("outcomes in the feed of %s (ONE-OUTCOME)", conversation.session())
                        .containsExactlyInAnyOrderElementsOf(conversation.seen().keySet());
            }
        }
    }

    @Override
    public void close() {
        over = true;
        clients.forEach(Client::close);
        synchronized (threads) {
            threads.forEach(Thread::interrupt);
        }
    }
}
