package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps maintenance that failed from being offered again at once: for a second nothing of it is due, then the committer is nudged.
 * Confined to the committer's thread.
 */
public final class Backoff {

    private static final Logger LOG = LoggerFactory.getLogger(Backoff.class);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final String what;
    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private boolean failing;
    private long retryAtNanos;

    /**
     * @param what names the work in the log
     */
    public Backoff(String what, Committer committer, Time time, Timers timers) {
        this.what = what;
        this.committer = committer;
        this.time = time;
        this.timers = timers;
    }

    /** Whether the work still waits after a failure. */
    public boolean waiting() {
        if (failing && time.monotonicNanos() - retryAtNanos >= 0) {
            failing = false;
        }
        return failing;
    }

    /** A piece of the work failed. */
    public void failed(HoldfastException error) {
        if (!failing) {
            failing = true;
            retryAtNanos = time.monotonicNanos() + RETRY_AFTER.toNanos();
            LOG.warn("{} waits {} s: {}", what, RETRY_AFTER.toSeconds(), error.getMessage());
            timers.after(RETRY_AFTER, committer::nudge);
        }
    }
}
