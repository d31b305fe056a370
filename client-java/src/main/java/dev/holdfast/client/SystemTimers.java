package dev.holdfast.client;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Tasks on one daemon thread, which is there while there are tasks. */
final class SystemTimers implements Timers {

    static final SystemTimers SHARED = new SystemTimers();

    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor executor;

    private SystemTimers() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "holdfast-client-timers");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public Cancel after(Duration pause, Runnable task) {
        Future<?> scheduled = executor.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }
}
