package dev.holdfast.http;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an exchange goes on apart, for bindings: parts that run on virtual threads, and no thread between them.
 *
 * <p>One number says who may do what. Only the thread that runs a part leaves {@code RUNS} and {@code WOKEN}, and only whoever wakes the
 * exchange leaves {@code RESTS}, so it never has two threads. A wake-up that comes while a part runs is not lost: the part is followed by
 * another one, whatever it had looked at by then. One that comes before the first part is answered by that.
 *
 * <table>
 * <caption>What happens to the number</caption>
 * <tr><th></th><th>BEFORE</th><th>RESTS</th><th>RUNS</th><th>WOKEN</th><th>OVER</th></tr>
 * <tr><td>it is woken</td><td>-</td><td>RUNS, on a new thread</td><td>WOKEN</td><td>-</td><td>-</td></tr>
 * <tr><td>the handler returned</td><td>RUNS, on the same thread</td><td></td><td></td><td></td><td></td></tr>
 * <tr><td>the part returned, another may follow</td><td></td><td></td><td>RESTS</td><td>RUNS, the next part</td><td></td></tr>
 * <tr><td>the part was the last, or failed</td><td></td><td></td><td>OVER</td><td>OVER</td><td></td></tr>
 * </table>
 */
public final class Apart {

    private static final int BEFORE = 0;
    private static final int RESTS = 1;
    private static final int RUNS = 2;
    private static final int WOKEN = 3;
    private static final int OVER = 4;

    private static final AtomicIntegerFieldUpdater<Apart> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Apart.class, "state");

    /** Whoever wakes an exchange lends it nothing of its own thread. */
    private static final ThreadFactory THREADS = Thread.ofVirtual()
            .name("holdfast-http-apart")
            .inheritInheritableThreadLocals(false)
            .factory();

    private final Exchange exchange;
    private volatile int state = BEFORE;

    // Each is set once, before the first part.
    private Exchange.@Nullable Rest rest;
    private @Nullable HttpHandler handler;
    private @Nullable Consumer<@Nullable Throwable> end;
    private @Nullable Runnable wake;

    public Apart(Exchange exchange) {
        this.exchange = exchange;
    }

    /** The handler leaves a rest: {@link Exchange#goOnApart}. */
    public void leave(Exchange.Rest left) {
        if (rest != null) {
            throw new IllegalStateException("The exchange goes on apart already");
        }
        rest = left;
    }

    /** Whether the handler left a rest: {@link Exchange#goesOnApart}. */
    public boolean isLeft() {
        return rest != null;
    }

    /**
     * Runs the first part on this thread; the handler has returned and left a rest.
     *
     * @param parts runs the parts
     * @param ending ends the response, once, on the thread of the last part; is given the defect that it broke off with, or null. An exchange
     *     that failed in another way is aborted by then
     */
    public void begin(HttpHandler parts, Consumer<@Nullable Throwable> ending) {
        handler = parts;
        end = ending;
        wake = this::wake;
        run();
    }

    /** As {@link #begin}, with a thread of its own for the first part. If there is no memory for one, the exchange is aborted and ends here. */
    public void beginApart(HttpHandler parts, Consumer<@Nullable Throwable> ending) {
        try {
            THREADS.newThread(() -> begin(parts, ending)).start();
        } catch (RuntimeException | Error e) {
            exchange.abort();
            begin(parts, ending);
        }
    }

    /** Asks for a part. Any thread, at any time; does not block. */
    public void wake() {
        while (true) {
            int now = state;
            if (now == BEFORE || now == WOKEN || now == OVER) {
                return;
            }
            if (now == RUNS && STATE.compareAndSet(this, RUNS, WOKEN)) {
                return;
            }
            if (now == RESTS && STATE.compareAndSet(this, RESTS, RUNS)) {
                start();
                return;
            }
        }
    }

    private void start() {
        try {
            THREADS.newThread(this::run).start();
        } catch (RuntimeException | Error e) {
            state = RESTS; // there is no memory for a thread now; whoever wakes it next tries again
            throw e;
        }
    }

    /** Parts, until there is nothing to do. */
    private void run() {
        do {
            int unused = STATE.getAndSet(
                    this, RUNS); // whoever woke it until now is answered by this part, which sees what they did
            if (!part(Objects.requireNonNull(handler), Objects.requireNonNull(rest), Objects.requireNonNull(wake))) {
                return;
            }
        } while (!STATE.compareAndSet(this, RUNS, RESTS));
    }

    /** One part, and the end behind the last one. Returns whether another part may follow. */
    private boolean part(HttpHandler parts, Exchange.Rest left, Runnable again) {
        Throwable defect = null;
        try {
            if (parts.goOn(exchange, left, again)) {
                return true;
            }
        } catch (IOException e) {
            exchange.abort();
        } catch (InterruptedException e) {
            exchange.abort();
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            exchange.abort();
            defect = e;
        }
        state = OVER;
        Objects.requireNonNull(end).accept(defect);
        return false;
    }
}
