package dev.holdfast.http;

import org.jspecify.annotations.Nullable;

/**
 * An error that arises in HTTP itself, before anything of Holdfast's core was asked. Those of the core are mapped in {@link ProblemTable}.
 */
public final class HttpProblem extends RuntimeException {

    private final transient Problem problem;

    public HttpProblem(Problem problem) {
        super(problem.detail());
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }

    public static HttpProblem badRequest(String detail) {
        return of(400, "malformed-request", "The request is malformed", detail);
    }

    public static HttpProblem unauthorized(String detail) {
        return new HttpProblem(Problem.of(401, "key-required", "An API key is required", detail)
                .header("WWW-Authenticate", "Bearer realm=\"holdfast\""));
    }

    public static HttpProblem forbidden(String type, String detail) {
        return of(403, type, "Not allowed", detail);
    }

    /** What the path names within something that is there is not. */
    public static HttpProblem notFound(String type, String title, String detail) {
        return of(404, type, title, detail);
    }

    public static HttpProblem noSuchRoute(String path) {
        return of(404, "no-such-route", "Nothing is here", "There is nothing at " + path + ". See docs/api.md.");
    }

    public static HttpProblem methodNotAllowed(String method, String allowed) {
        return new HttpProblem(Problem.of(
                        405,
                        "method-not-allowed",
                        "The method is not allowed here",
                        "%s is not possible here; %s is.".formatted(method, allowed))
                .header("Allow", allowed));
    }

    public static HttpProblem bodyTooLarge(int maxBytes) {
        return of(
                413,
                "body-too-large",
                "The body is too large",
                "The body of this request may have at most %d bytes.".formatted(maxBytes));
    }

    public static HttpProblem unsupportedMediaType(@Nullable String given, String wanted) {
        return of(
                415,
                "unsupported-media-type",
                "The body's media type is not understood",
                "Send the body as %s; it came as %s.".formatted(wanted, given == null ? "nothing" : given));
    }

    public static HttpProblem tooManyExchanges(int max) {
        return new HttpProblem(Problem.of(
                        503,
                        "too-many-connections",
                        "Too many requests at once",
                        "This server answers %d requests and event streams at once. Come back a little later."
                                .formatted(max))
                .retryAfter(HttpLimits.RETRY_AFTER_SECONDS));
    }

    public static HttpProblem noWebSockets() {
        return of(
                501,
                "no-websockets",
                "There are no WebSockets here",
                "The container that Holdfast runs in has no WebSockets. Add its support for Jakarta WebSocket, or use HTTP.");
    }

    private static HttpProblem of(int status, String type, String title, String detail) {
        return new HttpProblem(Problem.of(status, type, title, detail));
    }
}
