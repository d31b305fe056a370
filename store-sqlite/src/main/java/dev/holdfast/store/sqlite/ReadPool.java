package dev.holdfast.store.sqlite;

import dev.holdfast.store.ReadThreads;
import dev.holdfast.store.StoreReads;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read: each a platform thread with a connection of its own.
 *
 * <p>SQLite is called through JNI, which pins a virtual thread to its carrier; with as many slow calls as the machine has cores, every
 * virtual thread of the process would stand still. Here callers only wait for a future ({@link ReadThreads}).
 *
 * <p>Each piece of work runs in one deferred transaction, whose snapshot begins with its first read.
 */
final class ReadPool implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReadPool.class);

    private final SqlFailures failures;
    private final ReadThreads<Reader> threads;

    /** Takes over the connections: one thread for each, which closes it. */
    ReadPool(List<Statements> connections, SqlFailures failures) {
        this.failures = failures;
        this.threads = new ReadThreads<>(
                "holdfast-read",
                connections.size(),
                SqliteLimits.MAX_QUEUED_READS,
                number -> new Reader(connections.get(number), failures),
                reader -> closeQuietly(reader.connection));
    }

    /** A thread's connection; made on that thread. */
    private static final class Reader {
        private final Statements connection;
        private final SnapshotReads reads;

        Reader(Statements connection, SqlFailures failures) {
            this.connection = connection;
            this.reads = new SnapshotReads(new Tables(connection), failures, Thread.currentThread());
        }
    }

    <T> T run(Function<StoreReads, T> function) {
        return threads.run(reader -> onSnapshot(reader, function));
    }

    /** The snapshot ends before the caller is released, so that a caller who writes next never waits for its own read. */
    private <T> T onSnapshot(Reader reader, Function<StoreReads, T> function) {
        try {
            reader.connection.run("BEGIN");
            reader.reads.open();
            try {
                return function.apply(reader.reads);
            } finally {
                reader.reads.close();
                end(reader.connection);
            }
        } catch (SQLException e) {
            throw failures.ofStatement(e);
        }
    }

    private static void end(Statements connection) throws SQLException {
        try {
            connection.run("ROLLBACK");
        } catch (SQLException e) {
            if (!SqlFailures.isNoTransaction(e)) {
                throw e;
            }
        }
    }

    /** How much work waits for a thread; callers who wait for room are not among it. */
    int queued() {
        return threads.queued();
    }

    /** Refuses new reads, finishes those that wait, and waits for the threads to end. */
    @Override
    public void close() {
        threads.close();
    }

    private static void closeQuietly(Statements connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.warn("A read connection could not be closed", e);
        }
    }
}
