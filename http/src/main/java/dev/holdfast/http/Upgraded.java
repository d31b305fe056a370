package dev.holdfast.http;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exchange that has become a WebSocket, for bindings: opens what is behind the socket in the first part, and receives its messages one after
 * the other, each on a virtual thread. Between two messages there is none.
 *
 * <p>A binding leaves it as the exchange's rest ({@link Apart#leave}), begins the parts when the socket is open or will never be, and hands it
 * each message that it was asked for.
 */
public final class Upgraded implements Exchange.Rest {

    /** A binding's socket. */
    public interface Line extends WebSocket {

        /**
         * Asks for the next message: once when there is somebody to take it, and once after each. A socket that is closed drops what comes
         * then. Does not block.
         */
        void next();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Upgraded.class);

    private static final ThreadFactory THREADS = Thread.ofVirtual()
            .name("holdfast-http-receive")
            .inheritInheritableThreadLocals(false)
            .factory();

    private final Exchange exchange;
    private final Upgrade.Opening opening;
    private final Line line;

    // Set once, in the first part and before the first message is asked for.
    private volatile @Nullable WebSocketRest opened;

    // Guarded by this.
    private @Nullable Thread receiver;
    private boolean over;

    public Upgraded(Exchange exchange, Upgrade upgrade, Line line) {
        this.exchange = exchange;
        this.opening = upgrade.opening();
        this.line = line;
    }

    @Override
    public boolean goOn(Runnable wake) throws IOException, InterruptedException {
        if (exchange.gone()) {
            return false;
        }
        WebSocketRest rest = opened;
        if (rest == null) {
            rest = opening.open(line, wake);
            opened = rest;
            line.next();
        }
        return rest.goOn(wake);
    }

    /** A message came, as asked for. Any thread; does not block. */
    public void receive(String text) {
        Thread thread = THREADS.newThread(() -> hand(text));
        synchronized (this) {
            if (!over) {
                start(thread);
                return;
            }
        }
        line.next();
    }

    private synchronized void start(Thread thread) {
        try {
            thread.start();
            receiver = thread;
        } catch (RuntimeException | Error e) {
            exchange.abort(); // there is no memory for a thread now, and nobody asks for another message
            throw e;
        }
    }

    private void hand(String text) {
        try {
            Objects.requireNonNull(opened).receive(text);
        } catch (IOException | InterruptedException e) {
            if (!over()) {
                LOG.debug("The client of {} is gone", exchange.head().rawPath(), e);
                exchange.abort();
            }
        } catch (Throwable e) {
            if (!over()) {
                LOG.error("A message to {} failed by a defect", exchange.head().rawPath(), e);
                line.close(WebSocket.DEFECT, "This is a defect of the server; its log tells more.");
            }
        } finally {
            synchronized (this) {
                receiver = null;
            }
            line.next();
        }
    }

    private synchronized boolean over() {
        return over;
    }

    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            over = true;
            last = receiver;
        }
        if (last != null) {
            last.interrupt();
            awaitEnd(last);
        }
        WebSocketRest rest = opened;
        if (rest != null) {
            rest.close();
        }
    }

    private static void awaitEnd(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
