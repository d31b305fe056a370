package dev.holdfast.stream;

import dev.holdfast.store.Committer;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One timer for the earliest of many deadlines: when it rings, the committer looks what is due. While nothing is, there is no timer
 * (IDLE-IS-SILENT). Confined to the committer's thread.
 */
final class Alarm {

    private final Committer committer;
    private final Time time;
    private final Timers timers;
    private final AtomicBoolean rang = new AtomicBoolean();
    private long armedFor;
    private Timers.@Nullable Handle timer;

    Alarm(Committer committer, Time time, Timers timers) {
        this.committer = committer;
        this.time = time;
        this.timers = timers;
    }

    /** Something is due at this time, wall clock, ms; 0 if nothing is. */
    void arm(long deadline) {
        if (deadline == 0 || (armedFor != 0 && armedFor <= deadline)) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        armedFor = deadline;
        long wait = Math.max(0, Math.min(deadline - time.wallMillis(), StreamLimits.MAX_ALARM.toMillis()));
        timer = timers.after(Duration.ofMillis(wait), () -> {
            rang.set(true);
            committer.nudge();
        });
    }

    /** Whether a deadline passed since the last {@link #next}. */
    boolean rang() {
        return rang.get();
    }

    /** What was due is done; what comes next is due at this time, 0 for nothing. */
    void next(long deadline) {
        rang.set(false);
        armedFor = 0;
        arm(deadline);
    }
}
