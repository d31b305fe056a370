package dev.holdfast.verification.rig;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What not every machine has. Tests that want it are skipped without, and {@code ./holdfast test} lists them with the reason; where the environment
 * says that it must be there, as CI does where it can, they fail instead.
 */
public final class Wanted {

    private Wanted() {}

    /**
     * Skips the test unless this is so here.
     *
     * @param what a sentence that holds where it is so
     * @param required the variable that is set where the test must not be skipped
     */
    public static void assume(boolean here, String what, String required) {
        if (!here && System.getenv(required) != null) {
            throw new AssertionError("Not so, though %s demands it: %s".formatted(required, what));
        }
        Assumptions.assumeTrue(here, what);
    }

    /** Whether a command can be run here and ends well; what it says is of no interest. */
    public static boolean runs(List<String> command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }
}
