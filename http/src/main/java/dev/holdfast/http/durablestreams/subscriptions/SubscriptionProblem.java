package dev.holdfast.http.durablestreams.subscriptions;

import java.util.Map;

/** An error of the protocol's own form: {@code {"error":{"code":...,"message":...}}}. */
final class SubscriptionProblem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What went wrong, as the protocol names it, and its HTTP status. */
    enum Code {
        INVALID_REQUEST(400),
        WEBHOOK_URL_REJECTED(400),
        TOKEN_INVALID(401),
        TOKEN_EXPIRED(401),
        SUBSCRIPTION_NOT_FOUND(404),
        SUBSCRIPTION_ALREADY_EXISTS(409),
        FENCED(409),
        ALREADY_CLAIMED(409),
        NO_PENDING_WORK(409),
        INVALID_OFFSET(409),
        /** Not of the protocol: one more would be too many. */
        LIMIT_EXCEEDED(409);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    private final Code code;
    private final transient Map<String, Object> members;

    SubscriptionProblem(Code code, String message) {
        this(code, message, Map.of());
    }

    /**
     * @param members further members of the error object
     */
    SubscriptionProblem(Code code, String message, Map<String, Object> members) {
        super(message);
        this.code = code;
        this.members = members;
    }

    Code code() {
        return code;
    }

    Map<String, Object> members() {
        return members;
    }

    String text() {
        String message = getMessage();
        return message == null ? code.name() : message;
    }

    static SubscriptionProblem invalid(String message) {
        return new SubscriptionProblem(Code.INVALID_REQUEST, message);
    }

    static SubscriptionProblem notFound(String id) {
        return new SubscriptionProblem(Code.SUBSCRIPTION_NOT_FOUND, "There is no subscription \"%s\".".formatted(id));
    }

    static SubscriptionProblem fenced(long generation) {
        return new SubscriptionProblem(
                Code.FENCED,
                "This wake is over: its lease ended or a newer wake took its place. Drop what you did for it.",
                Map.of("generation", generation));
    }
}
