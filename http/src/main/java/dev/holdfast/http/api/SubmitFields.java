package dev.holdfast.http.api;

import dev.holdfast.http.Call;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.turn.Submit;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads what every wire that starts turns has in common: the key and the policy. */
public final class SubmitFields {

    private SubmitFields() {}

    /** The turn's id from the header {@code Idempotency-Key}. */
    public static Optional<String> key(Call call) {
        return call.header("Idempotency-Key").map(SubmitFields::unquoted);
    }

    /** The header is a string in quotes by its draft standard, and without them in practice. */
    private static String unquoted(String key) {
        boolean quoted = key.length() > 1 && key.startsWith("\"") && key.endsWith("\"");
        return quoted ? key.substring(1, key.length() - 1) : key;
    }

    /**
     * What happens while the session is busy: {@code policy}, with {@code debounceMillis}.
     *
     * @throws HttpProblem 400 if there is no such policy
     */
    public static Submit policy(ObjectNode body) {
        String name = Fields.text(body, "policy").orElse("queue");
        Optional<JsonNode> window = Fields.any(body, "debounceMillis");
        if (window.isPresent() && !name.equals("debounce")) {
            throw HttpProblem.badRequest("\"debounceMillis\" belongs to the policy debounce.");
        }
        return switch (name) {
            case "queue" -> Submit.queue();
            case "latest" -> Submit.latest();
            case "merge" -> Submit.merge();
            case "drop" -> Submit.drop();
            case "debounce" -> window.isPresent() ? Submit.debounce(millis(window.get())) : Submit.debounce();
            default -> throw HttpProblem.badRequest("The policy is queue, latest, merge, drop or debounce.");
        };
    }

    private static Duration millis(JsonNode node) {
        if (!node.isIntegralNumber() || !node.canConvertToInt()) {
            throw HttpProblem.badRequest("\"debounceMillis\" must be a whole number.");
        }
        return Duration.ofMillis(node.intValue());
    }
}
