package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a database, for the node that holds its lease.
 *
 * <p><b>What it guarantees.</b> A commit that returned is durable as the server's {@code synchronous_commit} says, which is never off. A commit
 * whose answer was lost is asked about before anyone is told anything ({@link Fates}). A transaction that began under an older lease changes
 * nothing, however late its statements arrive: each locks the lease and finds it as it was (ONE-WRITER, {@link ShardTable}).
 *
 * <p><b>How it is built.</b> The appends of a group commit are one row per stream, inserted by one statement which is the whole transaction and one
 * round trip ({@link SegmentTable}; docs/adr/0003-postgres-layout.md). Other writes wait until something is read or committed and go together
 * ({@link Pipeline}). A connection is taken from the pool for each transaction.
 *
 * <p><b>Threads.</b> As {@link Store} says. {@link #close} is called when no transaction is open; it may be another thread than the
 * committer's, after that one has ended. Closing leaves the database open.
 */
final class PostgresStore implements Store {

    private final String description;
    private final WriteSide side;
    private final Snapshots snapshots;
    private volatile boolean closed;
    /** The committer's alone. */
    private @Nullable PostgresTransaction transaction;

    PostgresStore(String description, WriteSide side, Snapshots snapshots) {
        this.description = description;
        this.side = side;
        this.snapshots = snapshots;
    }

    @Override
    public void recover(RecoverySink sink) {
        checkOpen();
        side.recover(sink);
    }

    @Override
    public StoreTransaction begin() {
        checkOpen();
        if (transaction != null && !transaction.isOver()) {
            throw new IllegalStateException("A transaction is open already; commit it or roll it back first.");
        }
        side.checkWritable();
        PostgresTransaction begun = new PostgresTransaction(side);
        transaction = begun;
        return begun;
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        checkOpen();
        return snapshots.run(side.shard(), work);
    }

    @Override
    public String description() {
        return description;
    }

    private void checkOpen() {
        if (closed) {
            throw new Closed("The store is closed.");
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        PostgresTransaction left = transaction;
        if (left != null) {
            left.rollback();
        }
    }
}
