package dev.holdfast.http;

import dev.holdfast.access.Principal;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * A request that passed the door and found its route.
 *
 * @param exchange the request and its response
 * @param path what the route's placeholders stand for
 * @param query the query parameters
 * @param principal who asks
 */
public record Call(Exchange exchange, Map<String, String> path, Query query, Principal principal) {

    /** What a placeholder of the route stands for. */
    public String path(String name) {
        return Optional.ofNullable(path.get(name))
                .orElseThrow(() -> new IllegalStateException("The route has no placeholder {" + name + "}"));
    }

    public Optional<String> header(String name) {
        return exchange.head().header(name);
    }

    /** Whether the client says that it has what this entity tag stands for ({@code If-None-Match}). */
    public boolean isKnown(String tag) {
        return header("If-None-Match").stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .map(String::strip)
                .anyMatch(known -> known.equals(tag) || known.equals("W/" + tag) || known.equals("*"));
    }
}
