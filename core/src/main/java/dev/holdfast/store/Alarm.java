package dev.holdfast.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One timer for the earliest of many deadlines: when it rings, the committer looks what is due. While nothing is, there is no timer
 * (IDLE-IS-SILENT). Confined to the committer's thread.
 */
public final class Alarm {

    /** It is set anew after this long at the latest, so that no deadline is too far for a timer. */
    private static final Duration MAX_WAIT = Duration.ofDays(1);

    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private final AtomicBoolean rang = new AtomicBoolean();
    private long armedFor;
    private Timers.@Nullable Handle timer;

    public Alarm(Committer committer, Time time, Timers timers) {
        this.committer = committer;
        this.time = time;
        this.timers = timers;
    }

    /** Something is due at this time, wall clock, ms; 0 if nothing is. */
    public void arm(long deadline) {
        if (deadline == 0 || (armedFor != 0 && armedFor <= deadline)) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        armedFor = deadline;
        long wait = Math.max(0, Math.min(deadline - time.wallMillis(), MAX_WAIT.toMillis()));
        timer = timers.after(Duration.ofMillis(wait), () -> {
            rang.set(true);
            committer.nudge();
        });
    }

    /** Whether a deadline passed since the last {@link #next}. */
    public boolean rang() {
        return rang.get();
    }

    /** What was due is done; what comes next is due at this time, 0 for nothing. */
    public void next(long deadline) {
        rang.set(false);
        armedFor = 0;
        arm(deadline);
    }
}
