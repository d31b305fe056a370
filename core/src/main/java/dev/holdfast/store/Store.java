package dev.holdfast.store;

import java.util.function.Function;

/**
 * The storage port: where Holdfast keeps everything. One store holds a log of appends, sealed blocks, and ordinary tables, and commits
 * changes to all of them in one transaction.
 *
 * <p>The engine decides, the store persists: sequence numbers, fencing, sealing and outcomes are decided by the engine's state machines on
 * the committer's thread; a store adds no policy. Each store must pass the contract suite of the test kit.
 *
 * <p><b>Threads.</b> {@link #recover}, {@link #begin} and everything on the transaction are called by one thread, the committer, and at
 * most one transaction is open at a time. {@link #read} may be called by any number of threads, virtual ones too, at any time.
 *
 * <p><b>Errors.</b> Failures of known fate ({@code StoreFull}, {@code StoreBusy}, {@code StoreFailed}) leave the transaction rolled back
 * or to be rolled back. A failure that leaves unknown what is on disk is {@code StorePoisoned}, and every later write answers the same.
 */
public interface Store extends AutoCloseable {

    /**
     * Reads the log from its oldest entry to its newest. Called once, before the first transaction.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged on a bad checksum or a hole
     */
    void recover(RecoverySink sink);

    /** Begins the one write transaction. */
    StoreTransaction begin();

    /**
     * Begins the one write transaction for a change that frees space, after there was no room for it in an ordinary one: it may use the room
     * that the store keeps back for such changes. From then on, until that room is there again, ordinary transactions are refused at their
     * commit with {@code StoreFull}, so that they do not take it. A store that keeps nothing back begins an ordinary one.
     */
    default StoreTransaction beginFreeing() {
        return begin();
    }

    /**
     * Runs {@code work} on a consistent snapshot of what is committed, on one of the store's own platform threads, and waits for it.
     * {@code work} must be short and must not call the store again.
     */
    <T> T read(Function<StoreReads, T> work);

    /** A name for logs and error messages, such as a path; no secrets. */
    String description();

    /** Releases the store. Waits for running reads; a transaction must not be open. */
    @Override
    void close();

    /** Receives the log at start. */
    interface RecoverySink {
        /** The next log entry; positions grow. */
        void entry(LogEntry entry);
    }
}
