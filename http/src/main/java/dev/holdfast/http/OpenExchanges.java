package dev.holdfast.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The exchanges that are open, so that there is a bound on them and so that the end of the process can cut them. Safe for any thread.
 */
public final class OpenExchanges {

    /** Stands for the thread of an exchange that has none at the moment. */
    private static final Thread NONE = Thread.ofVirtual().unstarted(() -> {});

    private final int max;
    private final AtomicInteger count = new AtomicInteger();
    private final Map<Exchange, Thread> open = new ConcurrentHashMap<>();
    private volatile boolean closed;

    OpenExchanges(int max) {
        this.max = max;
    }

    /** Returns false if there are too many. */
    boolean enter(Exchange exchange) {
        if (count.incrementAndGet() > max) {
            count.decrementAndGet();
            return false;
        }
        open.put(exchange, Thread.currentThread());
        if (closed) {
            exchange.abort(); // it came while the others were cut
        }
        return true;
    }

    /** An exchange that entered goes on with this thread. */
    void goesOn(Exchange exchange) {
        open.put(exchange, Thread.currentThread());
        if (closed) {
            exchange.abort();
        }
    }

    /** An exchange that entered has no thread until it goes on. Called before this thread may lose it to another one. */
    void rests(Exchange exchange) {
        open.put(exchange, NONE);
    }

    void leave(Exchange exchange) {
        open.remove(exchange);
        if (count.decrementAndGet() == 0 && closed) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    public int count() {
        return count.get();
    }

    /**
     * Cuts all exchanges, and those that still come: every client sees an error and comes back with its cursor, none takes a half answer for
     * a whole one.
     */
    public void abortAll() {
        closed = true;
        open.forEach((exchange, thread) -> {
            exchange.abort();
            thread.interrupt();
        });
    }

    /** After {@link #abortAll()}: waits until all are gone, or for the timeout. Returns whether they are. */
    public synchronized boolean awaitNone(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (count.get() > 0) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
