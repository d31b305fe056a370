package dev.holdfast.mcp.tasks;

import dev.holdfast.http.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * How a task stands. Immutable.
 *
 * @param status its status
 * @param message what people may be told of it, or null
 * @param updatedAt ms since 1970
 * @param round the last questions that its tool asked, or null
 * @param outcome its result or error as the wire has it, if it ended with one
 */
record TaskState(
        Status status,
        @Nullable String message,
        long updatedAt,
        @Nullable InputRound round,
        @Nullable Object outcome) {

    enum Status {
        WORKING,
        INPUT_REQUIRED,
        COMPLETED,
        FAILED,
        CANCELLED;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean isFinal() {
            return this != WORKING && this != INPUT_REQUIRED;
        }
    }

    static TaskState working(long now) {
        return new TaskState(Status.WORKING, null, now, null, null);
    }

    TaskState saying(@Nullable String text, long now) {
        return new TaskState(status, text, now, round, outcome);
    }

    TaskState asking(InputRound questions, long now) {
        return new TaskState(Status.INPUT_REQUIRED, null, now, questions, null);
    }

    /** With more answers; working again once all are there. */
    TaskState answered(InputRound more, long now) {
        return new TaskState(more.isAnswered() ? Status.WORKING : Status.INPUT_REQUIRED, null, now, more, null);
    }

    /** What is stored beside an event that changed it; an outcome is stored as the event's data. */
    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("status", status.wire());
        json.put("message", message);
        json.put("updatedAt", updatedAt);
        json.put("round", round == null ? null : round.toJson());
        return json;
    }

    /**
     * @param data the event's, which has the outcome
     */
    static TaskState of(JsonNode json, JsonNode data) {
        Status status = Status.valueOf(json.path("status").stringValue().toUpperCase(Locale.ROOT));
        JsonNode outcome = switch (status) {
            case COMPLETED -> data.path("result");
            case FAILED -> data.path("error");
            default -> null;
        };
        return new TaskState(
                status,
                json.path("message").isString() ? json.path("message").stringValue() : null,
                json.path("updatedAt").longValue(),
                json.path("round").isObject() ? InputRound.of(json.path("round")) : null,
                outcome == null ? null : Json.MAPPER.treeToValue(outcome, Object.class));
    }
}
