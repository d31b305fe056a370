package dev.holdfast.store.postgres;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StoreTransaction.Receipt;
import java.sql.SQLException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Shard 0 of a schema of its own, held by a store that can be opened again. */
final class Shard implements AutoCloseable {

    final PostgresServer server;
    final PostgresSettings settings;
    final PostgresDatabase database;
    private Store store;

    Shard() {
        this(settings -> settings);
    }

    Shard(UnaryOperator<PostgresSettings> change) {
        this(PostgresServer.shared(), change);
    }

    Shard(PostgresServer server, UnaryOperator<PostgresSettings> change) {
        this.server = server;
        this.settings = change.apply(server.settings());
        this.database = PostgresDatabase.open(settings);
        this.store = database.store(0, database.claim(0));
        store.recover(new Rows.Log());
    }

    Store store() {
        return store;
    }

    StoreTransaction begin() {
        return store.begin();
    }

    Receipt commit(Consumer<StoreTransaction> work) {
        StoreTransaction tx = store.begin();
        try {
            work.accept(tx);
            return tx.commit();
        } finally {
            tx.rollback();
        }
    }

    /** What a snapshot shows. */
    boolean sees(Predicate<StoreReads> condition) {
        return store.<Boolean>read(condition::test);
    }

    /** Opens the store with the next epoch; returns what its log holds then. */
    Rows.Log reopen() {
        store.close();
        store = database.store(0, database.claim(0));
        Rows.Log log = new Rows.Log();
        store.recover(log);
        return log;
    }

    /** The number that a query answers, with {@code @} before names of tables. */
    long number(String sql) throws SQLException {
        return server.number(new SchemaName(settings.schema()).qualify(sql));
    }

    void run(String sql) throws SQLException {
        server.run(new SchemaName(settings.schema()).qualify(sql));
    }

    @Override
    public void close() {
        store.close();
        database.close();
    }
}
