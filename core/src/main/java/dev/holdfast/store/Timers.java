package dev.holdfast.store;

import java.time.Duration;

/** Runs something once after a while. Given from outside so that tests own the time. While nothing is due, no thread runs. */
public interface Timers extends AutoCloseable {

    /** Runs {@code action} after {@code delay}, unless cancelled before. {@code action} must be short and must not throw. */
    Handle after(Duration delay, Runnable action);

    @Override
    void close();

    /** A waiting action. */
    interface Handle {
        /** Harmless when it ran already. */
        void cancel();
    }

    /** Timers of the machine, on one daemon thread that exists only while something is due. */
    static Timers system() {
        return new SystemTimers();
    }
}
