package dev.holdfast.client;

import java.time.Duration;

/** The time that a client goes by. Thread-safe. */
public interface Timers {

    /** Runs a task once, after a pause. The task is short and does not block. */
    Cancel after(Duration pause, Runnable task);

    /** Nanoseconds of a clock that only goes forward, of any origin. */
    long nanoTime();

    /** The machine's time. All its clients share one thread, which ends while there is nothing to wait for. */
    static Timers system() {
        return SystemTimers.SHARED;
    }

    /** Forgets a task that has not begun. */
    interface Cancel {
        void cancel();
    }
}
