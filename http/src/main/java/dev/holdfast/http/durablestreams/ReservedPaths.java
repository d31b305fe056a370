package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router.Identify;
import java.io.IOException;

/** Answers the paths that the protocol keeps for itself: {@code __ds} below the mount. Thread-safe. */
@FunctionalInterface
public interface ReservedPaths {

    /**
     * @param identify finds out who asks; not every request needs to be asked
     * @param base where the client reaches the mount, such as {@code https://host/v1/stream}
     * @throws HttpProblem for the door to answer
     */
    void answer(Exchange exchange, Identify identify, String base) throws IOException, InterruptedException;

    /** For a server without any. */
    static ReservedPaths none() {
        return (exchange, identify, base) -> {
            throw HttpProblem.noSuchRoute(exchange.head().rawPath());
        };
    }
}
