package dev.holdfast.testkit.sim;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Virtual threads that run on the thread of the simulation, one at a time and only when it says so. So the blocking API is driven as users
 * drive it, and yet every run of a history is the same.
 *
 * <p>The JDK lets nobody choose a scheduler yet, so this opens {@code java.lang}: run with
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
final class Fibers implements Executor {

    private static final Constructor<? extends Thread> VIRTUAL_THREAD = find();
    private static final int MAX_RUNS = 1_000_000;

    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();

    private static Constructor<? extends Thread> find() {
        try {
            Constructor<? extends Thread> found = Class.forName("java.lang.VirtualThread")
                    .asSubclass(Thread.class)
                    .getDeclaredConstructor(Executor.class, String.class, int.class, Runnable.class);
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this JDK makes virtual threads differently", e);
        } catch (InaccessibleObjectException e) {
            throw new IllegalStateException("Run with --add-opens java.base/java.lang=ALL-UNNAMED.", e);
        }
    }

    /** Makes a thread and lets it be the next to run. */
    Thread start(String name, Runnable body) {
        try {
            Thread thread = VIRTUAL_THREAD.newInstance(this, name, 0, body);
            thread.start();
            return thread;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot make a virtual thread", e);
        }
    }

    @Override
    public void execute(Runnable continuation) {
        ready.add(continuation);
    }

    /** Runs every thread that can run, until none can. */
    void run() {
        int runs = 0;
        @Nullable Runnable next;
        while ((next = ready.poll()) != null) {
            next.run();
            if (++runs > MAX_RUNS) {
                throw new Violation("threads wake one another for ever");
            }
        }
    }
}
