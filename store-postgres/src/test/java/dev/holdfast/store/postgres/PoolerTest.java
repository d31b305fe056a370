package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.Store;
import dev.holdfast.testkit.StoreContract;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The store keeps the contract behind PgBouncer, which gives each transaction another connection. Skipped where it is not installed. */
final class PoolerTest extends StoreContract {

    private static final Map<Path, Integer> SHARDS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    private static PgBouncer pooler;
    private static PostgresDatabase database;

    @BeforeAll
    static void openDatabase() throws Exception {
        pooler = PgBouncer.start(PostgresServer.shared());
        database = PostgresDatabase.open(PostgresServer.shared()
                .settings(pooler.jdbcUrl())
                .withShards(512)
                .withPooler(PostgresSettings.Pooler.PER_TRANSACTION));
    }

    @AfterAll
    static void closeDatabase() {
        if (database != null) {
            database.close();
            pooler.close();
        }
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

    @Test
    void more_than_one_connection_of_the_server_was_used() throws Exception {
        assertThat(PostgresServer.shared()
                        .number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'"))
                .isBetween(2L, 8L);
    }
}
