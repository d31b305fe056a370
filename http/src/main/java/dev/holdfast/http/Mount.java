package dev.holdfast.http;

import dev.holdfast.http.Router.Identify;
import java.io.IOException;

/**
 * A wire that has a whole tree of paths to itself and reads them its own way. The door still holds its bound on exchanges, checks the host
 * and, unless any page may call, the origin, and answers the errors that the wire throws. Thread-safe.
 */
public interface Mount {

    /** The path that all of its paths begin with, such as {@code /v1/stream}; without a slash at its end. */
    String prefix();

    /** Whether web pages of any origin may call this path of it; they never may open a WebSocket. */
    boolean anyOrigin(String rawPath);

    /** Whether requests of this path may become WebSockets ({@link Exchange#upgrade}). */
    default boolean mayUpgrade(String rawPath) {
        return false;
    }

    /** What every response below the prefix goes through, those of the door as well. */
    Exchange dress(Exchange exchange);

    /**
     * Answers a request.
     *
     * @param identify finds out who asks; not every request needs to be asked
     * @throws HttpProblem for the door to answer
     */
    void answer(Exchange exchange, Identify identify) throws IOException, InterruptedException;

    /** Whether a path is this mount's. */
    default boolean holds(String rawPath) {
        String prefix = prefix();
        return rawPath.startsWith(prefix)
                && (rawPath.length() == prefix.length() || rawPath.charAt(prefix.length()) == '/');
    }
}
