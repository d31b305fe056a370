package dev.holdfast.client.transport;

import dev.holdfast.client.message.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Why there is no connection. */
public sealed interface Loss {

    /** One sentence for people. */
    String why();

    /** It could not be made, or broke. */
    record Cut(String why) implements Loss {}

    /**
     * The server answered that it opens none.
     *
     * @param retryAfter when it says that another try makes sense
     */
    record Refused(
            int status, @Nullable Problem problem, @Nullable Duration retryAfter) implements Loss {
        @Override
        public String why() {
            return problem == null
                    ? "The server answered with status " + status + "."
                    : "The server answered with status %d: %s".formatted(status, problem.detail());
        }
    }

    /** What answers there is no server of this transport. */
    record NoSuchServer(String why) implements Loss {}
}
