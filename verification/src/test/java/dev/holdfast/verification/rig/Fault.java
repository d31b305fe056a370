package dev.holdfast.verification.rig;

import dev.holdfast.error.HoldfastException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes chosen steps of the store fail. Safe for any thread. */
public final class Fault implements StoreTap.Observer {

    /** Whether the step fails before it has an effect, or after. */
    public enum When {
        BEFORE,
        AFTER
    }

    private record Plan(String verb, When when, int skip, Supplier<HoldfastException> error) {}

    private final AtomicInteger seen = new AtomicInteger();
    private volatile @Nullable Plan plan;

    /** From now on this verb fails each time, after {@code skip} times at which it does not. */
    public void arm(String verb, When when, int skip, Supplier<HoldfastException> error) {
        seen.set(0);
        plan = new Plan(verb, when, skip, error);
    }

    public void disarm() {
        plan = null;
    }

    /** How often the armed verb came. */
    public int seen() {
        return seen.get();
    }

    @Override
    public void before(String verb, List<String> earlier) {
        strike(verb, When.BEFORE);
    }

    @Override
    public void after(String verb, List<String> earlier) {
        strike(verb, When.AFTER);
    }

    private void strike(String verb, When when) {
        Plan armed = plan;
        if (armed != null
                && armed.when() == when
                && armed.verb().equals(verb)
                && seen.getAndIncrement() >= armed.skip()) {
            throw armed.error().get();
        }
    }
}
