package dev.holdfast.store.postgres;

import dev.holdfast.store.Store;
import dev.holdfast.testkit.StoreContract;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The PostgreSQL store keeps the contract that every store keeps. Each test has a shard of its own, beside those of the others. */
final class ContractTest extends StoreContract {

    private static final Map<Path, Integer> SHARDS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    private static PostgresDatabase database;

    @BeforeAll
    static void openDatabase() {
        database = PostgresDatabase.open(PostgresServer.shared().settings().withShards(512));
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @Override
    protected Store open(Path where) {
        int shard = SHARDS.computeIfAbsent(where, path -> NEXT.getAndIncrement());
        return database.store(shard, database.claim(shard));
    }

    @Override
    protected Refusal refusal() {
        return Refusal.AT_THE_COMMIT_AT_THE_LATEST;
    }
}
