package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: the one thread that changes a store.
 *
 * <p>Callers queue {@link Command}s; this thread takes whatever is queued, lets each command decide against the committed state plus what
 * the batch staged so far, commits once, and only then applies the staged changes to memory, wakes readers and releases callers, in that
 * order (VISIBLE-IS-DURABLE). It never waits for a batch to fill: while one commit is in flight the next batch forms by itself.
 *
 * <p><b>Why decisions are made here</b> and not under a lock at the caller: there is never more than one undecided transaction, so a
 * rollback simply drops what was staged and memory equals a fresh rebuild. Sequence numbers given out before the commit would have to be
 * taken back from every batch that formed meanwhile.
 *
 * <p><b>Isolation.</b> A command that refuses before it wrote anything touches nobody. If one fails after it wrote, the batch is rolled
 * back and each of its commands runs again alone, so that each gets its own fate. A commit of unknown fate poisons the committer
 * (FAIL-STOP): every command from then on is refused with {@code StorePoisoned}.
 *
 * <p><b>Threads.</b> {@link #submit} may be called by anyone. Everything else runs on the committer's thread, or, in a simulation that
 * never calls {@link #start}, on the thread that calls {@link #step}.
 */
public final class Committer implements AutoCloseable {

    private final Store store;
    private final Time time;
    private final Executor futures;
    private final Callers callers;
    private final Health health;
    private final CommandQueue queue;
    private final long maxQueuedBytes;
    private Maintenance maintenance = Maintenance.NONE;

    private volatile boolean closing;
    private volatile boolean stopped;
    private volatile @Nullable Thread thread;
    private final AtomicLong commits = new AtomicLong();

    /**
     * @param futures runs the completion of futures and the waking of many callers, away from the committer's thread
     */
    public Committer(Store store, Time time, Limits limits, Executor futures) {
        this.store = store;
        this.time = time;
        this.futures = futures;
        this.callers = new Callers(futures);
        this.health = new Health(store);
        this.queue = new CommandQueue(limits);
        this.maxQueuedBytes = limits.maxQueuedBytes();
    }

    /**
     * Bounds of the queue and the batches.
     *
     * @param maxQueuedBytes payload and overhead of all queued commands; beyond it a caller waits or is refused
     * @param maxBatchBytes payload and overhead of one transaction's commands
     */
    public record Limits(long maxQueuedBytes, long maxBatchBytes) {
        public static Limits defaults() {
            return new Limits(64L << 20, 8L << 20);
        }
    }

    /** Runs what must not keep the committer's thread busy. */
    public Executor apart() {
        return futures;
    }

    /** Names the maintenance. Call before the first command. */
    public void maintain(Maintenance work) {
        this.maintenance = work;
    }

    /** Starts the committer's thread: a platform thread, since database drivers pin virtual ones. */
    public void start() {
        Thread started =
                Thread.ofPlatform().name("holdfast-committer").daemon(true).unstarted(this::run);
        thread = started;
        started.start();
    }

    /**
     * Queues a command; waits while the queue is full.
     *
     * @return the same command, to wait for it
     * @throws Closed after {@link #close}
     * @throws StorePoisoned after a failure of unknown fate
     */
    public <R, C extends Command<R>> C submit(C command) {
        if (queue.isFull()) {
            queue.awaitRoom(() -> poison() != null || closing);
        }
        push(command);
        return command;
    }

    /**
     * Queues a command, or refuses it if the queue is full.
     *
     * @throws Overloaded if too much is queued
     */
    public <R, C extends Command<R>> C trySubmit(C command) {
        if (queue.isFull()) {
            throw new Overloaded("More than %d bytes wait to be committed. Try again in a moment, or send less."
                    .formatted(maxQueuedBytes));
        }
        push(command);
        return command;
    }

    /** Submits and waits. */
    public <R> R execute(Command<R> command) {
        return submit(command).await();
    }

    /** Payload and overhead bytes that wait. */
    public long queuedBytes() {
        return queue.queuedBytes();
    }

    /** Transactions committed so far. */
    public long commits() {
        return commits.get();
    }

    /** The failure that poisoned this committer, or null while it is healthy. */
    public @Nullable StorePoisoned poison() {
        return health.poison();
    }

    /** The first damage that a command met, if any did. Only a backup heals it. */
    public Optional<StoreDamaged> damage() {
        return health.damage();
    }

    /** Registers what is run, on the committer's thread, when writes stop working for good. It must not block or throw. */
    public void onPoison(Runnable told) {
        health.onPoison(told);
    }

    /** Lets the committer look for maintenance, for example after a deadline passed. */
    public void nudge() {
        Thread target = thread;
        if (target != null) {
            LockSupport.unpark(target);
        }
    }

    private void push(Command<?> command) {
        StorePoisoned poisoned = poison();
        if (poisoned != null) {
            throw poisoned;
        }
        if (closing) {
            throw new Closed("Holdfast is closed and takes no more work.");
        }
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(
                    "A commit callback must not call Holdfast: the committer would wait for itself. Only write through the handle.");
        }
        boolean first = queue.push(command);
        if (stopped) {
            refuseSubmitted();
        } else if (first) {
            nudge();
        }
    }

    /** After the thread ended, whoever finds commands in the queue refuses them, so that nobody waits for ever. */
    private void refuseSubmitted() {
        callers.refuse(queue.removeSubmitted(), new Closed("Holdfast was closed before this was written."));
    }

    private void run() {
        while (true) {
            if (!step()) {
                if (closing && !queue.isAnySubmitted()) {
                    stopped = true;
                    refuseSubmitted();
                    return;
                }
                LockSupport.park(this);
            }
        }
    }

    /**
     * Runs one batch.
     *
     * @return whether there was anything to do
     */
    public boolean step() {
        queue.take();
        List<Command<?>> batch = queue.nextBatch();
        boolean idle = batch.isEmpty();
        List<Command<?>> owed = owed(idle);
        if (idle && owed.isEmpty()) {
            return false;
        }
        int ofCallers = batch.size();
        if (!owed.isEmpty() && (idle || !batch.getFirst().exclusive())) {
            batch.addAll(owed);
        } else if (!owed.isEmpty()) {
            runBatch(owed);
        }
        runBatch(batch, ofCallers);
        return true;
    }

    private List<Command<?>> owed(boolean idle) {
        if (poison() != null) {
            return List.of();
        }
        try {
            return maintenance.due(idle);
        } catch (RuntimeException | Error e) {
            poisonWith(e);
            return List.of();
        }
    }

    private void runBatch(List<Command<?>> batch) {
        runBatch(batch, batch.size());
    }

    /** Runs commands of callers, then maintenance, in one transaction. */
    private void runBatch(List<Command<?>> batch, int ofCallers) {
        if (batch.isEmpty()) {
            return;
        }
        StorePoisoned poisoned = poison();
        if (poisoned != null) {
            callers.refuse(batch, poisoned);
            return;
        }
        try {
            runHealthy(batch, ofCallers);
        } catch (RuntimeException | Error e) { // a broken invariant: stop writing, and let nobody wait for ever
            callers.refuse(batch, poisonWith(e));
        }
    }

    private void runHealthy(List<Command<?>> batch, int ofCallers) {
        HoldfastException spoiled = tryOnce(batch, store::begin);
        if (spoiled == null) {
            return;
        }
        boolean full = spoiled instanceof StoreFull;
        boolean sharedFate = full || spoiled instanceof StorePoisoned || spoiled instanceof StoreBusy;
        if (sharedFate && poison() == null && ofCallers > 0 && ofCallers < batch.size()) {
            // what maintenance could not write must not be the callers' fate: on a full disk a deletion is what helps
            runBatch(batch.subList(0, ofCallers));
            runOwed(batch.subList(ofCallers, batch.size()), spoiled);
        } else if (batch.size() == 1 && full && batch.getFirst().freesSpace()) {
            HoldfastException still = tryOnce(batch, store::beginFreeing);
            if (still != null) {
                callers.refuse(batch, still);
            }
        } else if (batch.size() == 1 || (sharedFate && !full)) {
            callers.refuse(batch, spoiled);
        } else { // each gets its own fate: what is too large for the room that is left must not take the others with it
            for (Command<?> command : batch) {
                runBatch(List.of(command));
            }
        }
    }

    /** Maintenance whose batch failed: on a full disk, what frees space runs alone, or callers who never pause would keep it from ever running. */
    private void runOwed(List<Command<?>> owed, HoldfastException spoiled) {
        for (Command<?> task : owed) {
            if (spoiled instanceof StoreFull && task.freesSpace()) {
                runBatch(List.of(task));
            } else {
                callers.refuse(List.of(task), spoiled);
            }
        }
    }

    /** Runs the batch in one transaction; returns the failure for which it was rolled back, or null. */
    private @Nullable HoldfastException tryOnce(List<Command<?>> batch, Supplier<StoreTransaction> begin) {
        CommitScope scope = new CommitScope(begin, time.wallMillis());
        @Nullable Object[] answers = new Object[batch.size()];
        HoldfastException spoiled = decideAll(batch, scope, answers);
        if (spoiled == null) {
            spoiled = commit(scope, batch, answers);
        }
        if (spoiled != null) {
            health.note(spoiled);
            rollback(scope);
        }
        return spoiled;
    }

    /** Returns the failure that spoiled the transaction, or null. Clean refusals are noted as that command's answer. */
    private @Nullable HoldfastException decideAll(
            List<Command<?>> batch, CommitScope scope, @Nullable Object[] answers) {
        for (int i = 0; i < answers.length; i++) {
            int before = scope.writeCount();
            try {
                answers[i] = batch.get(i).decide(scope);
            } catch (StorePoisoned e) {
                return poisonWith(e);
            } catch (HoldfastException e) {
                if (scope.writeCount() != before || isOfStore(e)) {
                    return e;
                }
                answers[i] = e;
            } catch (RuntimeException e) {
                return new StoreFailed("A change was rolled back because of a defect: " + e, e);
            }
        }
        return null;
    }

    /** Whether it is the store's failure, after which the transaction may be of no use to the others. */
    private static boolean isOfStore(HoldfastException e) {
        return e instanceof StoreBusy
                || e instanceof StoreFull
                || e instanceof StoreFailed
                || e instanceof StoreDamaged;
    }

    private @Nullable HoldfastException commit(CommitScope scope, List<Command<?>> batch, @Nullable Object[] answers) {
        StoreTransaction.Receipt receipt;
        try {
            receipt = scope.commit();
        } catch (StoreFull | StoreBusy | StoreFailed | StoreDamaged e) {
            return e;
        } catch (RuntimeException e) {
            return poisonWith(e);
        }
        if (receipt != null) {
            commits.incrementAndGet();
        }
        scope.publish(receipt == null ? new StoreTransaction.Receipt(0, 0, scope.now()) : receipt);
        callers.release(batch, answers);
        scope.wakeReaders(); // last, for they may be many, and no writer waits for readers
        return null;
    }

    private void rollback(CommitScope scope) {
        try {
            scope.rollback();
        } catch (RuntimeException e) {
            poisonWith(e);
        }
    }

    private StorePoisoned poisonWith(Throwable cause) {
        StorePoisoned first = health.poison(cause);
        callers.refuse(queue.removeAll(), first);
        return first;
    }

    /** Finishes what is queued, then stops the thread. Commands submitted later are refused with {@code Closed}. */
    @Override
    public void close() {
        closing = true;
        queue.wakeWaiters();
        Thread running = thread;
        if (running == null) {
            while (step()) {
                // a simulation's committer has no thread: finish here
            }
            return;
        }
        nudge();
        boolean interrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
