package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.Closed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store's threads for reads: platform threads, each with a resource of its own, such as a connection.
 *
 * <p>Callers may be virtual threads and only wait for a future. A driver that calls through JNI or blocks inside a monitor would pin them
 * to their carriers; and an interrupt of a virtual thread that waits for a socket closes the socket, which is the store's, not the caller's.
 *
 * <p>At most {@code maxQueued} pieces of work wait for a thread; a caller that finds the queue full waits for room. Waiting is not
 * interruptible, as the work is short; an interrupt is kept for the caller.
 */
public final class ReadThreads<C> implements AutoCloseable {

    private final int maxQueued;
    private final Consumer<C> release;
    private final List<Thread> threads = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private final ArrayDeque<Read<C, ?>> queue = new ArrayDeque<>();
    /** Guarded by {@link #lock}. */
    private boolean closed;

    /**
     * Starts the threads.
     *
     * @param name the threads' names begin with it
     * @param count how many threads
     * @param maxQueued how much work may wait
     * @param resource makes the resource of the thread of this number, on that thread
     * @param release gives a resource back when its thread ends, on that thread
     */
    public ReadThreads(String name, int count, int maxQueued, IntFunction<C> resource, Consumer<C> release) {
        this.maxQueued = maxQueued;
        this.release = release;
        for (int i = 0; i < count; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().name(name + "-" + i).daemon(true).start(() -> serve(resource, number)));
        }
    }

    /** A piece of work and, later, its result. */
    private static final class Read<C, T> {
        private final Function<C, T> function;
        private final Consumer<C> afterwards;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Read(Function<C, T> function, Consumer<C> afterwards) {
            this.function = function;
            this.afterwards = afterwards;
        }

        void run(C resource) {
            try {
                result.complete(function.apply(resource));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            } finally {
                afterwards.accept(resource);
            }
        }
    }

    /** As {@link #run(Function, Consumer)}, with nothing left to do afterwards. */
    public <T> T run(Function<C, T> function) {
        return run(function, resource -> {});
    }

    /**
     * Runs the work on one of the threads and waits for its result.
     *
     * @param afterwards what the thread still does when the caller has its result, and before it takes other work; must not throw
     * @throws Closed after {@link #close}
     */
    public <T> T run(Function<C, T> function, Consumer<C> afterwards) {
        if (threads.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    "Work given to read() may not call read() again; use the reads it was given.");
        }
        Read<C, T> read = new Read<>(function, afterwards);
        enqueue(read);
        return await(read.result);
    }

    private void enqueue(Read<C, ?> read) {
        lock.lock();
        try {
            while (queue.size() >= maxQueued && !closed) {
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
    public int queued() {
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

    private void serve(IntFunction<C> opener, int number) {
        C resource = opener.apply(number);
        try {
            for (Read<C, ?> read = next(); read != null; read = next()) {
                read.run(resource);
            }
        } finally {
            release.accept(resource);
        }
    }

    private @Nullable Read<C, ?> next() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closed) {
                work.awaitUninterruptibly();
            }
            Read<C, ?> read = queue.pollFirst();
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
}
