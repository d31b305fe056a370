package dev.holdfast.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One thing that is due later, which another can take the place of. One that was stopped never happens. Guarded by the client's monitor. */
final class Alarm {

    private final Monitor monitor;
    private final Timers timers;
    private Timers.@Nullable Cancel cancel;
    private long number;
    private boolean set;

    Alarm(Monitor monitor, Timers timers) {
        this.monitor = monitor;
        this.timers = timers;
    }

    /** Has a task run later, under the monitor, instead of what was set before. */
    void set(Duration pause, Runnable task) {
        stop();
        long mine = ++number;
        set = true;
        cancel = timers.after(
                pause,
                () -> monitor.change(() -> {
                    if (set && number == mine) { // the timer may have gone off before it was stopped
                        set = false;
                        cancel = null;
                        task.run();
                    }
                }));
    }

    boolean isSet() {
        return set;
    }

    void stop() {
        set = false;
        if (cancel != null) {
            cancel.cancel();
            cancel = null;
        }
    }
}
