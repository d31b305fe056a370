package dev.holdfast.mcp.tasks;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task as the wire shows it. */
final class TaskView {

    private final Duration pollInterval;

    TaskView(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    /** The members that every status has: what a handle is. */
    Map<String, @Nullable Object> plain(TaskSpec spec, TaskState state) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("taskId", spec.id());
        view.put("status", state.status().wire());
        if (state.message() != null) {
            view.put("statusMessage", state.message());
        }
        view.put("createdAt", Instant.ofEpochMilli(spec.createdAt()).toString());
        view.put("lastUpdatedAt", Instant.ofEpochMilli(state.updatedAt()).toString());
        view.put("ttlMs", spec.timeToLive());
        view.put("pollIntervalMs", pollInterval.toMillis());
        return view;
    }

    /** With what the status brings: questions, a result or an error. */
    Map<String, @Nullable Object> detailed(TaskSpec spec, TaskState state) {
        Map<String, @Nullable Object> view = plain(spec, state);
        InputRound round = state.round();
        switch (state.status()) {
            case INPUT_REQUIRED -> view.put("inputRequests", round == null ? Map.of() : round.outstanding());
            case COMPLETED -> view.put("result", state.outcome());
            case FAILED -> view.put("error", state.outcome());
            case WORKING, CANCELLED -> {}
        }
        return view;
    }
}
