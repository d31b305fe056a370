package dev.holdfast.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The exchanges that are open, so that there is a bound on them and so that the end of the process can cut them. Safe for any thread.
 */
public final class OpenExchanges {

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

    void leave(Exchange exchange) {
        open.remove(exchange);
        count.decrementAndGet();
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
}
