package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.PathSegments;
import dev.holdfast.stream.Names;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the paths below {@code __ds}. */
final class ControlPath {

    private static final Pattern ESCAPED_SLASH = Pattern.compile("%2[Ff]");

    private ControlPath() {}

    /**
     * The segments behind {@code __ds}. An escaped slash is as good as a slash here: the path of a stream is written either way.
     *
     * @param from where the reserved segment begins in the path
     * @throws HttpProblem 400 if the path is malformed
     */
    static List<String> of(String rawPath, int from) {
        String raw = ESCAPED_SLASH.matcher(rawPath.substring(from)).replaceAll("/");
        List<String> segments = PathSegments.of("/" + raw);
        return segments.subList(1, segments.size());
    }

    /**
     * @throws SubscriptionProblem if it could not be an id
     */
    static String checkedId(String id) {
        int bytes = id.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > SubscriptionLimits.MAX_ID_BYTES) {
            throw SubscriptionProblem.invalid("The id of a subscription has at most %d bytes; this has %d."
                    .formatted(SubscriptionLimits.MAX_ID_BYTES, bytes));
        }
        try {
            return Names.check("subscription id", id);
        } catch (HoldfastException e) {
            throw SubscriptionProblem.invalid(String.valueOf(e.getMessage()));
        }
    }
}
