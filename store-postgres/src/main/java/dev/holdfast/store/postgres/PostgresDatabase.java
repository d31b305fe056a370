package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.Store;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A database that several nodes share, divided into shards. Each shard is a {@link Store} of its own with one writer at a time: the node that holds
 * its lease, which is an epoch in the shard's row.
 *
 * <p>All of it lies in one schema. Opening makes and migrates the tables, also when several nodes do it at once.
 *
 * <p>Nothing here depends on the state of a session beyond a transaction, so a pooler per transaction may stand in between. Safe for any thread.
 * Close the stores first.
 */
public final class PostgresDatabase implements AutoCloseable {

    private final PostgresSettings settings;
    private final SchemaName schema;
    private final SqlFailures failures;
    private final Pool writers;
    private final Snapshots snapshots;
    private final Connections connections;
    private volatile boolean closed;

    private PostgresDatabase(PostgresSettings settings, SchemaName schema, Connections connections) {
        this.settings = settings;
        this.schema = schema;
        this.connections = connections;
        this.failures = new SqlFailures("The database");
        this.writers = connections.pool("write", settings.writers());
        this.snapshots = new Snapshots(
                connections.pool("read", settings.readers()),
                settings.readers(),
                schema,
                failures,
                Timeouts.of(settings));
    }

    /**
     * Opens the database; makes what is missing.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreBusy if it cannot be reached
     * @throws dev.holdfast.error.HoldfastException.StoreFailed if it refuses the role, is too old, does not keep what it acknowledges, or was
     *     divided into another number of shards
     * @throws dev.holdfast.error.HoldfastException.StoreTooNew if a newer version made the tables
     */
    public static PostgresDatabase open(PostgresSettings settings) {
        SchemaName schema = new SchemaName(settings.schema());
        Connections connections = new Connections(settings);
        new Migration(settings, schema, connections.plain()).run();
        return new PostgresDatabase(settings, schema, connections);
    }

    /** Into how many shards it is divided; their numbers begin at 0. */
    public int shards() {
        return settings.shards();
    }

    /**
     * The store of a shard, for the node that holds its lease. Every transaction is refused with {@code StorePoisoned} once the shard has
     * another epoch, or another store was opened with this one.
     *
     * @param epoch the lease's, as the shard's row has it
     */
    public Store store(int shard, long epoch) {
        checkShard(shard);
        return new PostgresStore(
                description(shard), new WriteSide(shard, epoch, schema, settings, writers, failures), snapshots);
    }

    /** The store of a shard, for a node that only reads it. {@code recover} and {@code begin} are refused. */
    public Store follower(int shard) {
        checkShard(shard);
        return new FollowerStore(description(shard), shard, snapshots);
    }

    /**
     * What the nodes share beside the data: who is a node, who holds which shard, and their inboxes. Close it before this.
     *
     * <p>Through a pooler per transaction there are no hints, whatever the settings say: what listens must keep its connection.
     */
    public PostgresCoordination coordination(CoordinationSettings chosen) {
        checkOpen();
        CoordinationSettings possible = settings.pooler() == PostgresSettings.Pooler.PER_TRANSACTION
                ? chosen.withHints(CoordinationSettings.Hints.OFF)
                : chosen;
        SharedConnections shared =
                new SharedConnections(connections.cluster(chosen.connections(), chosen.lease()), schema, failures);
        return new PostgresCoordination(
                this, shared, connections.plain(), connections.listening(), schema, possible, settings.time());
    }

    /** The database for logs and messages. */
    String description() {
        return "%s schema %s".formatted(settings.place(), schema.name());
    }

    /** Takes the lease of a shard from whoever has it, and returns its new epoch. */
    long claim(int shard) {
        checkShard(shard);
        try {
            Connection connection = writers.take();
            try {
                return new ShardTable(new Pipeline(connection, schema), shard)
                        .take()
                        .orElseThrow();
            } finally {
                writers.giveBack(connection);
            }
        } catch (SQLException e) {
            throw failures.ofStatement(e);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new Closed("The database is closed.");
        }
    }

    private void checkShard(int shard) {
        checkOpen();
        if (shard < 0 || shard >= settings.shards()) {
            throw new InvalidArgument(
                    "There is no shard %d; they are 0 to %d.".formatted(shard, settings.shards() - 1));
        }
    }

    private String description(int shard) {
        return "%s shard %d".formatted(description(), shard);
    }

    /** Closes all connections. Waits for running reads. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            snapshots.close();
            writers.close();
        }
    }
}
