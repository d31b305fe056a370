package dev.holdfast.bench.postgres;

import dev.holdfast.store.postgres.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * What one would write without Holdfast: a row for each chunk, in a transaction of its own, which also notifies readers. At its best: a statement
 * that is prepared once and needs one round trip, and a connection for each producer. One more connection listens.
 */
final class NaiveProducers implements Producers {

    /** Connections that are left to others, among them the one that listens. */
    private static final int LEFT = 4;

    private final Database database;
    private final PostgresSettings settings;
    private final Connection listener;
    private final List<Connection> connections = new ArrayList<>();

    NaiveProducers(Database database) throws SQLException {
        this.database = database;
        this.settings = database.settings(1); // for its name
        String schema = settings.schema();
        database.run(
                "CREATE SCHEMA " + schema,
                "CREATE TABLE " + schema + ".chunks (stream int NOT NULL, seq bigint NOT NULL, body bytea NOT NULL,"
                        + " at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (stream, seq))");
        int count = Math.min(HoldfastProducers.PRODUCERS, database.freeConnections() - LEFT);
        this.listener = database.connect();
        try (Statement statement = listener.createStatement()) {
            boolean unused = statement.execute("LISTEN " + schema);
        }
        for (int i = 0; i < count; i++) {
            connections.add(database.connect());
        }
    }

    @Override
    public int count() {
        return connections.size();
    }

    @Override
    public void produce(int producer, byte[] chunk, BooleanSupplier goOn, LongAdder durable) throws SQLException {
        String schema = settings.schema();
        String sql = "WITH stored AS (INSERT INTO " + schema + ".chunks (stream, seq, body) VALUES (?, ?, ?)"
                + " RETURNING stream) SELECT pg_notify('" + schema + "', stream::text) FROM stored";
        try (PreparedStatement insert = connections.get(producer).prepareStatement(sql)) {
            for (long seq = 0; goOn.getAsBoolean(); seq++) {
                insert.setInt(1, producer);
                insert.setLong(2, seq);
                insert.setBytes(3, chunk);
                boolean unused = insert.execute();
                durable.increment();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        listener.close();
        database.drop(settings);
    }
}
