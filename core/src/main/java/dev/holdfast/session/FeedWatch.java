package dev.holdfast.session;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells when a session's feed grew or the session was deleted. To miss nothing: open the watch, note {@link #version()}, read the feed, and
 * if there was nothing new wait by {@link #onChange} with the version noted before the read.
 *
 * <p>Thread-safe. Close it.
 */
public final class FeedWatch implements AutoCloseable {

    private final FeedSignals signals;
    private final long sessionKey;
    private final FeedSignals.Signal signal;
    private final AtomicBoolean closed = new AtomicBoolean();

    FeedWatch(FeedSignals signals, long sessionKey, FeedSignals.Signal signal) {
        this.signals = signals;
        this.sessionKey = sessionKey;
        this.signal = signal;
    }

    /** Grows with every commit that appended to the feed or deleted the session. */
    public long version() {
        return signal.version();
    }

    /** Whether the session was deleted since this watch was opened. */
    public boolean gone() {
        return signal.gone();
    }

    /**
     * Runs {@code wake} once, soon after the version went beyond {@code seen}; at once, on this thread, if it did already. Later calls come
     * from the committer's thread: {@code wake} must not block. A hint: it may come without a change.
     */
    public void onChange(long seen, Runnable wake) {
        signal.await(wake);
        if ((signal.version() != seen || signals.closed()) && signal.cancel(wake)) {
            wake.run();
        }
    }

    /** Whether the instance was closed: nothing will change any more. */
    public boolean instanceClosed() {
        return signals.closed();
    }

    /** Takes back an {@link #onChange} that did not run yet. */
    public void cancel(Runnable wake) {
        signal.cancel(wake);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            signals.leave(sessionKey);
        }
    }
}
