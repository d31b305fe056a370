package dev.holdfast.mcp;

import dev.holdfast.access.Principal;
import dev.holdfast.http.Exchange;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A request to an endpoint, of which the era is known.
 *
 * @param exchange the request and its response; the body of a POST is read already
 * @param principal who asks
 * @param message what was posted: an object, or an array of them; null for every other method
 */
public record McpCall(
        Exchange exchange, Principal principal, @Nullable JsonNode message) {

    /** What was posted. */
    public JsonNode posted() {
        if (message == null) {
            throw new IllegalStateException("Nothing was posted");
        }
        return message;
    }
}
