package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import java.io.IOException;
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

    /** The disk's script, and nothing else, makes an operation fail. */
    static void expectFault(HoldfastException error) {
        if (!(error.getCause() instanceof IOException)) {
            throw new Violation("a failure without a fault: " + error, error);
        }
    }
}
