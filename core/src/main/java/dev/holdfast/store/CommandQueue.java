package dev.holdfast.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands on their way to the committer, bounded in bytes, and their division into batches.
 *
 * <p>Anyone may {@link #push}, {@link #awaitRoom} and {@link #removeSubmitted}. What was taken but has not run yet, the backlog, belongs to
 * the committer's thread: it alone calls {@link #take}, {@link #nextBatch} and {@link #removeAll}.
 */
final class CommandQueue {

    /** In a batch of so many commands, what one would wait for memory is worth fetching it for all of them ahead. */
    private static final int READ_AHEAD_FROM = 8;

    private final Committer.Limits limits;

    /** Head of a stack of submitted commands, newest first; the committer takes all at once and turns it round. */
    private final AtomicReference<@Nullable Command<?>> submitted = new AtomicReference<>();

    private final AtomicLong queuedBytes = new AtomicLong();
    private final ReentrantLock roomLock = new ReentrantLock();
    private final Condition room = roomLock.newCondition();

    /** Taken but not yet run; the committer's thread alone. */
    private final ArrayDeque<Command<?>> backlog = new ArrayDeque<>();

    /** Depends on all that was read ahead, so that it is read. */
    @SuppressWarnings("unused")
    private int readAhead;

    CommandQueue(Committer.Limits limits) {
        this.limits = limits;
    }

    /** Payload and overhead bytes that wait. */
    long queuedBytes() {
        return queuedBytes.get();
    }

    boolean isFull() {
        return queuedBytes.get() > limits.maxQueuedBytes();
    }

    /** Waits while the queue is full, unless there is nothing more to wait for; {@link #wakeWaiters} after that changed. */
    void awaitRoom(BooleanSupplier pointless) {
        roomLock.lock();
        try {
            while (isFull() && !pointless.getAsBoolean()) {
                room.awaitUninterruptibly();
            }
        } finally {
            roomLock.unlock();
        }
    }

    void wakeWaiters() {
        roomLock.lock();
        try {
            room.signalAll();
        } finally {
            roomLock.unlock();
        }
    }

    /** Adds a command. Returns whether nothing else was submitted since the committer took the last ones. */
    boolean push(Command<?> command) {
        queuedBytes.addAndGet(command.weight());
        Command<?> head;
        do {
            head = submitted.get();
            command.next = head;
        } while (!submitted.compareAndSet(head, command));
        return head == null;
    }

    boolean isAnySubmitted() {
        return submitted.get() != null;
    }

    /** Takes what nobody took yet out of the queue, oldest first. */
    List<Command<?>> removeSubmitted() {
        ArrayDeque<Command<?>> removed = new ArrayDeque<>();
        moveSubmitted(removed);
        return List.copyOf(removed);
    }

    /** Moves what was submitted to the backlog. */
    void take() {
        if (backlog.isEmpty()) {
            moveSubmitted(backlog);
        } else {
            backlog.addAll(removeSubmitted());
        }
    }

    private void moveSubmitted(ArrayDeque<Command<?>> empty) {
        for (Command<?> command = submitted.getAndSet(null); command != null; ) {
            empty.addFirst(command);
            Command<?> older = command.next;
            command.next = null;
            command = older;
        }
    }

    /** Removes the commands of the next transaction from the backlog: an exclusive one alone, else as many as the limit allows. */
    List<Command<?>> nextBatch() {
        List<Command<?>> batch = new ArrayList<>(backlog.size());
        long weight = 0;
        while (true) {
            Command<?> command = backlog.peekFirst();
            if (command == null) {
                break;
            }
            if (!batch.isEmpty() && (command.exclusive() || weight + command.weight() > limits.maxBatchBytes())) {
                break;
            }
            batch.add(command);
            backlog.removeFirst();
            weight += command.weight();
            if (command.exclusive()) {
                break;
            }
        }
        releaseRoom(weight);
        readAhead(batch);
        return batch;
    }

    private void readAhead(List<Command<?>> batch) {
        if (batch.size() >= READ_AHEAD_FROM) {
            for (int i = 0; i < batch.size(); i++) {
                readAhead += batch.get(i).readAhead();
            }
        }
    }

    /** Empties the queue. */
    List<Command<?>> removeAll() {
        take();
        List<Command<?>> removed = new ArrayList<>(backlog);
        backlog.clear();
        releaseRoom(removed.stream().mapToLong(Command::weight).sum());
        return removed;
    }

    private void releaseRoom(long weight) {
        if (weight > 0 && queuedBytes.getAndAdd(-weight) > limits.maxQueuedBytes()) {
            wakeWaiters();
        }
    }
}
