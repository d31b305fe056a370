package dev.holdfast.store;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One daemon thread that ends when it has nothing to wait for. */
final class SystemTimers implements Timers {

    private final ScheduledThreadPoolExecutor executor;

    SystemTimers() {
        executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon(true).name("holdfast-timer").factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(1, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public Handle after(Duration delay, Runnable action) {
        try {
            Future<?> waiting = executor.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> waiting.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {}; // closed: nothing runs any more
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
