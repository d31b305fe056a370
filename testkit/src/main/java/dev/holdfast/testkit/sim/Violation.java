package dev.holdfast.testkit.sim;

import org.jspecify.annotations.Nullable;

/** An invariant does not hold. */
final class Violation extends AssertionError {

    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message);
    }

    Violation(String message, Throwable cause) {
        super(message, cause);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need a library of its own
    static void unless(boolean holds, String message, @Nullable Object... values) {
        if (!holds) {
            throw new Violation(message.formatted(values));
        }
    }
}
