package dev.holdfast.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request's query parameters, decoded; each name once. */
public final class Query {

    private final Map<String, String> parameters;

    private Query(Map<String, String> parameters) {
        this.parameters = parameters;
    }

    /**
     * @throws HttpProblem 400 if it is malformed, repeats a name or has too many parameters
     */
    public static Query of(@Nullable String rawQuery) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (rawQuery != null && !rawQuery.isEmpty()) {
            for (String pair : rawQuery.split("&", HttpLimits.MAX_QUERY_PARAMETERS + 1)) {
                if (parameters.size() == HttpLimits.MAX_QUERY_PARAMETERS) {
                    throw HttpProblem.badRequest(
                            "The query has more than %d parameters.".formatted(HttpLimits.MAX_QUERY_PARAMETERS));
                }
                int equals = pair.indexOf('=');
                String name = PathSegments.decodeQuery(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : PathSegments.decodeQuery(pair.substring(equals + 1));
                if (!name.isEmpty() && parameters.put(name, value) != null) {
                    throw HttpProblem.badRequest("The query has \"%s\" twice.".formatted(name));
                }
            }
        }
        return new Query(parameters);
    }

    /** The value, or empty if there is none or it is empty. */
    public Optional<String> text(String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
    }

    /**
     * A whole number within bounds.
     *
     * @throws HttpProblem 400 if it is none, or out of bounds
     */
    public int number(String name, int unless, int min, int max) {
        Optional<String> given = text(name);
        if (given.isEmpty()) {
            return unless;
        }
        try {
            int value = Integer.parseInt(given.get());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw outOfBounds(name, min, max);
        }
        throw outOfBounds(name, min, max);
    }

    private static HttpProblem outOfBounds(String name, int min, int max) {
        return HttpProblem.badRequest("\"%s\" is a whole number from %d to %d.".formatted(name, min, max));
    }
}
