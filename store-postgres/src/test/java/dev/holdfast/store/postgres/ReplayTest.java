package dev.holdfast.store.postgres;

import dev.holdfast.store.Store;
import dev.holdfast.testkit.ReplayContract;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Replay races with append on PostgreSQL. */
final class ReplayTest extends ReplayContract {

    private static final AtomicInteger NEXT = new AtomicInteger();

    private static PostgresDatabase database;

    @BeforeAll
    static void openDatabase() {
        database = PostgresDatabase.open(PostgresServer.shared().settings());
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @Override
    protected Store open(Path where) {
        int shard = NEXT.getAndIncrement();
        return database.store(shard, database.claim(shard));
    }
}
