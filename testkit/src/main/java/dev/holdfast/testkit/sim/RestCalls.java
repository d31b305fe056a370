package dev.holdfast.testkit.sim;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls of the API while nothing else is under way, with as many steps of the committer as they need. */
final class RestCalls {

    private final Fibers fibers;
    private final Runnable pump;
    private final BooleanSupplier step;

    /**
     * @param pump lets fibers run
     * @param step runs a batch; tells whether there was anything to do
     */
    RestCalls(Fibers fibers, Runnable pump, BooleanSupplier step) {
        this.fibers = fibers;
        this.pump = pump;
        this.step = step;
    }

    /** The answer, which is not null. */
    <T> T call(Supplier<T> body) {
        AtomicReference<@Nullable T> answer = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        fibers.start("verification", () -> {
            try {
                answer.set(body.get());
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        pump.run();
        while (answer.get() == null && failure.get() == null) {
            Violation.unless(step.getAsBoolean(), "a call waits for ever");
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new Violation("a call failed on a healthy store: " + failed, failed);
        }
        T value = answer.get();
        if (value == null) {
            throw new AssertionError("answered with nothing");
        }
        return value;
    }
}
