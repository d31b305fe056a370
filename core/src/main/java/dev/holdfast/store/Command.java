package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One all-or-nothing group of changes, decided on the committer's thread. The caller waits for it, or takes its future; either way it
 * learns the answer only after the commit on which the answer rests (VISIBLE-IS-DURABLE).
 *
 * <p><b>Re-execution.</b> {@link #decide} may run more than once: when another command of the same batch spoiled the transaction, each
 * command runs again in a transaction of its own. It must therefore keep nothing but what it stages in the {@link CommitScope}.
 *
 * @param <R> the answer
 */
public abstract class Command<R> {

    /** Counted for each queued command beside its payload, so that empty commands are bounded as well. */
    static final int OVERHEAD_BYTES = 128;

    private static final Object NOTHING = new Object();

    /** Intrusive link of the committer's queue; written before publication, read by the committer alone. */
    @Nullable
    Command<?> next;

    private volatile @Nullable Object outcome;
    private volatile @Nullable Thread waiter;
    private volatile @Nullable CompletableFuture<R> future;

    /** Payload bytes that this command holds while it is queued. */
    protected int payloadBytes() {
        return 0;
    }

    /** Whether it needs a transaction of its own, as every command does that runs code of the application. */
    protected boolean exclusive() {
        return false;
    }

    /**
     * Whether it leaves more room than it takes: on a full disk it is tried again with the room that the store keeps back. It must write
     * little.
     */
    protected boolean freesSpace() {
        return false;
    }

    /**
     * Reads what {@link #decide} will read first, and changes nothing. The commands of a large batch do so one right after the other, so that the
     * processor fetches the memory of many streams at once; in the middle of one decision it could only wait for that one's.
     *
     * @return something that depends on all that was read, or the compiler would leave the reads out
     */
    protected int readAhead() {
        return 0;
    }

    /**
     * Checks, writes and stages.
     *
     * @return the answer, delivered after the commit
     * @throws HoldfastException to refuse; if nothing was written by then, the other commands of the batch are not touched
     */
    protected abstract R decide(CommitScope scope);

    /** Told on the committer's thread when the command was refused or rolled back. */
    protected void refused(HoldfastException error) {}

    final long weight() {
        return (long) payloadBytes() + OVERHEAD_BYTES;
    }

    /** Waits for the answer. An interrupt does not shorten the wait, since the fate is being decided; it is kept for the caller. */
    @SuppressWarnings({"unchecked", "NullAway"}) // outcome is an R, NOTHING for a null R, or a Refusal
    public final R await() {
        boolean interrupted = false;
        waiter = Thread.currentThread();
        while (outcome == null) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Object answer = outcome;
        if (answer instanceof Refusal refusal) {
            throw refusal.error;
        }
        return answer == NOTHING ? null : (R) answer;
    }

    /** The answer as a future. Ask before the command is submitted. */
    public final CompletableFuture<R> future() {
        CompletableFuture<R> created = new CompletableFuture<>();
        future = created;
        return created;
    }

    /**
     * Delivers the answer, without waking the thread that waits for it. A future is completed by {@link #completeFuture}, away from the
     * committer's thread.
     *
     * @return the thread to wake, or null if none waits yet; it will find the answer when it does
     */
    final @Nullable Thread answer(@Nullable Object answer) {
        outcome = answer == null ? NOTHING : answer;
        return waiter;
    }

    /** Refuses the command, unless it has its answer already. */
    final void refuse(HoldfastException error) {
        if (outcome == null) {
            LockSupport.unpark(answer(new Refusal(error)));
            refused(error);
        }
    }

    final boolean hasFuture() {
        return future != null;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // outcome is an R, NOTHING for a null R, or a Refusal
    final void completeFuture() {
        CompletableFuture<R> target = future;
        if (target == null) {
            return;
        }
        if (outcome instanceof Refusal refusal) {
            target.completeExceptionally(refusal.error);
        } else {
            target.complete(outcome == NOTHING ? null : (R) outcome);
        }
    }

    private static final class Refusal {
        final HoldfastException error;

        Refusal(HoldfastException error) {
            this.error = error;
        }
    }
}
