package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why something was refused (RFC 9457). Immutable.
 *
 * @param type {@code urn:holdfast:problem:} and a name
 * @param detail what was wrong and what to do
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        @Nullable Integer retryAfterSeconds) {

    public Problem {
        Objects.requireNonNull(type, "type");
        title = Objects.requireNonNullElse(title, "");
        detail = Objects.requireNonNullElse(detail, title);
    }

    /** One for an answer that brought none of its own. */
    public static Problem ofStatus(int status) {
        return new Problem(
                "about:blank", "Status " + status, status, "The server answered with status " + status + ".", null);
    }

    /** Whether its type is that name. */
    public boolean is(String name) {
        return type.equals("urn:holdfast:problem:" + name);
    }
}
