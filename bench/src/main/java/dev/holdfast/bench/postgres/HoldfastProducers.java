package dev.holdfast.bench.postgres;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.StreamWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One node that holds all shards. Each producer has a stream of its own and so many appends under way. */
final class HoldfastProducers implements Producers {

    static final int PRODUCERS = 64;
    static final int WINDOW = 32;

    private final Database database;
    private final PostgresSettings settings;
    private final Member node;

    HoldfastProducers(Database database, int shards) throws InterruptedException {
        this.database = database;
        this.settings = database.settings(shards);
        this.node = Member.join(settings, HoldfastSettings.defaults(), NodeSettings.named("only"))
                .holding(shards);
    }

    @Override
    public int count() {
        return PRODUCERS;
    }

    @Override
    public void produce(int producer, byte[] chunk, BooleanSupplier goOn, LongAdder durable)
            throws InterruptedException {
        StreamWriter writer = node.holdfast().streams().open("stream-" + producer);
        append(writer, chunk, goOn, durable, WINDOW);
    }

    /** Appends until told to stop, with so many appends under way, and waits for the last ones. */
    static void append(StreamWriter writer, byte[] chunk, BooleanSupplier goOn, LongAdder durable, int window)
            throws InterruptedException {
        AppendRequest request = AppendRequest.of(List.of(chunk));
        Semaphore room = new Semaphore(window);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        while (goOn.getAsBoolean() && failure.get() == null) {
            room.acquire();
            var unused = writer.appendAsync(request).whenComplete((result, failed) -> {
                if (failed == null) {
                    durable.increment();
                } else {
                    failure.compareAndSet(null, failed);
                }
                room.release();
            });
        }
        room.acquire(window);
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("an append failed", failed);
        }
    }

    @Override
    public void close() throws SQLException {
        node.close();
        database.drop(settings);
    }
}
