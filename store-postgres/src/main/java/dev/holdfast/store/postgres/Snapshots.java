package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.ReadThreads;
import dev.holdfast.store.StoreReads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads of all shards, each piece of work on one snapshot and on one of a few threads.
 *
 * <p>The transaction begins with the first query, in the same round trip, and is ended after the caller has its result: a piece of work with one
 * query keeps its caller for one round trip.
 */
final class Snapshots implements AutoCloseable {

    private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    private static final String LIMITS =
            "SELECT set_config('statement_timeout', ?, true), set_config('idle_in_transaction_session_timeout', ?, true)";

    private final Pool pool;
    private final SchemaName schema;
    private final SqlFailures failures;
    private final Timeouts timeouts;
    private final ReadThreads<Reader> threads;

    Snapshots(Pool pool, int count, SchemaName schema, SqlFailures failures, Timeouts timeouts) {
        this.pool = pool;
        this.schema = schema;
        this.failures = failures;
        this.timeouts = timeouts;
        this.threads = new ReadThreads<>(
                "holdfast-postgres-read", count, PostgresLimits.MAX_QUEUED_READS, n -> new Reader(), Reader::end);
    }

    <T> T run(int shard, Function<StoreReads, T> work) {
        return threads.run(reader -> reader.read(shard, work), Reader::end);
    }

    /** Refuses new reads, finishes those that wait, and closes the connections. */
    @Override
    public void close() {
        threads.close();
        pool.close();
    }

    /** What one thread does. */
    private final class Reader {
        private @Nullable Pipeline pipeline;

        <T> T read(int shard, Function<StoreReads, T> work) {
            Pipeline begun = begin();
            pipeline = begun;
            SnapshotReads reads = new SnapshotReads(new Tables(begun, shard), failures, Thread.currentThread());
            try {
                return work.apply(reads);
            } finally {
                reads.close();
            }
        }

        private Pipeline begin() {
            try {
                Connection connection = pool.take();
                Pipeline begun = new Pipeline(connection, schema);
                begun.later(BEGIN);
                begun.laterQuery(rows -> true, LIMITS, timeouts.statement(), timeouts.idle());
                return begun;
            } catch (SQLException e) {
                throw failures.ofStatement(e);
            }
        }

        void end() {
            Pipeline over = pipeline;
            pipeline = null;
            if (over == null) {
                return;
            }
            try {
                over.rollback();
            } catch (SQLException e) { // the snapshot ends with its connection
                pool.discard(over.connection());
                return;
            }
            pool.giveBack(over.connection());
        }
    }

    /** Reads on one snapshot, valid while the work runs that was given them, and on its thread. */
    private static final class SnapshotReads extends TableReads {
        private final Tables tables;
        private final SqlFailures failures;
        private final Thread owner;
        private boolean over;

        SnapshotReads(Tables tables, SqlFailures failures, Thread owner) {
            this.tables = tables;
            this.failures = failures;
            this.owner = owner;
        }

        /** Owner thread only. */
        void close() {
            over = true;
        }

        @Override
        <T> T run(Call<T> call) {
            if (Thread.currentThread() != owner || over) {
                throw new IllegalStateException(
                        "These reads are over: use them only inside the work given to read(), on its thread.");
            }
            try {
                return call.on(tables);
            } catch (SQLException e) {
                HoldfastException failure = failures.ofStatement(e);
                throw failure;
            }
        }
    }
}
