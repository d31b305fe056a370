package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.store.StoreReads;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read: each a platform thread with a connection of its own.
 *
 * <p>SQLite is called through JNI, which pins a virtual thread to its carrier; with as many slow calls as the machine has cores, every
 * virtual thread of the process would stand still. Here callers only wait for a future.
 *
 * <p>Each piece of work runs in one deferred transaction, whose snapshot begins with its first read. The queue is bounded by
 * {@link SqliteLimits#MAX_QUEUED_READS}; a caller that finds it full waits for room. Waiting is not interruptible, as the work is short;
 * an interrupt is kept for the caller.
 */
final class ReadPool implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReadPool.class);

    private final SqlFailures failures;
    private final List<Thread> threads = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private final ArrayDeque<Read<?>> queue = new ArrayDeque<>();
    /** Guarded by {@link #lock}. */
    private boolean closed;

    /** Takes over the connections: one thread for each, which closes it. */
    ReadPool(List<Statements> connections, SqlFailures failures) {
        this.failures = failures;
        for (Statements connection : connections) {
            threads.add(Thread.ofPlatform()
                    .name("holdfast-read-" + threads.size())
                    .daemon(true)
                    .start(() -> serve(connection)));
        }
    }

    /** A piece of work and, later, its result. */
    private static final class Read<T> {
        private final Function<StoreReads, T> function;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Read(Function<StoreReads, T> function) {
            this.function = function;
        }

        /** The snapshot ends before the caller is released, so that a caller who writes next never waits for its own read. */
        void run(Statements connection, SnapshotReads reads, SqlFailures failures) {
            T value;
            try {
                value = onSnapshot(connection, reads, failures);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
                return;
            }
            result.complete(value);
        }

        private T onSnapshot(Statements connection, SnapshotReads reads, SqlFailures failures) {
            try {
                connection.run("BEGIN");
                reads.open();
                try {
                    return function.apply(reads);
                } finally {
                    reads.close();
                    end(connection);
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
    }

    <T> T run(Function<StoreReads, T> function) {
        if (threads.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    "Work given to read() may not call read() again; use the reads it was given.");
        }
        Read<T> read = new Read<>(function);
        enqueue(read);
        return await(read.result);
    }

    private void enqueue(Read<?> read) {
        lock.lock();
        try {
            while (queue.size() >= SqliteLimits.MAX_QUEUED_READS && !closed) {
                room.awaitUninterruptibly();
            }
            if (closed) {
                throw new Closed("The store is closed and takes no more reads.");
            }
            queue.addLast(read);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** How much work waits for a thread; callers who wait for room are not among it. */
    int queued() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    private static <T> T await(CompletableFuture<T> result) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unchecked(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unchecked(ExecutionException e) {
        if (e.getCause() instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("work threw a checked exception: " + e.getCause(), e);
    }

    private void serve(Statements connection) {
        SnapshotReads reads = new SnapshotReads(new Tables(connection), failures, Thread.currentThread());
        try {
            for (Read<?> read = next(); read != null; read = next()) {
                read.run(connection, reads, failures);
            }
        } finally {
            closeQuietly(connection);
        }
    }

    private @Nullable Read<?> next() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closed) {
                work.awaitUninterruptibly();
            }
            Read<?> read = queue.pollFirst();
            room.signal();
            return read;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new reads, finishes those that wait, and waits for the threads to end. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(Statements connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.warn("A read connection could not be closed", e);
        }
    }
}
