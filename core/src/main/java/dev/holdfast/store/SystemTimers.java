package dev.holdfast.store;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One daemon thread that ends when it has nothing to wait for. */
final class SystemTimers implements Timers {

    /** A century: nothing waits longer in one process, and beyond it the executor overflows. */
    private static final long MAX_DELAY_MILLIS = Duration.ofDays(36_500).toMillis();

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
            Future<?> waiting =
                    executor.schedule(action, Math.min(delay.toMillis(), MAX_DELAY_MILLIS), TimeUnit.MILLISECONDS);
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
