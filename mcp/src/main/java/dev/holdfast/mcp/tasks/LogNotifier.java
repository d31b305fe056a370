package dev.holdfast.mcp.tasks;

import dev.holdfast.http.Json;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.modern.server.McpAsyncNotifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What a tool tells while it is a task: events of the task, durable when it goes on. Left out are progress that does not grow, what is too large, and what
 * the store refuses. Thread-safe.
 */
final class LogNotifier implements McpAsyncNotifier {

    private final LiveTask task;
    private final McpJsonMapper mapper;

    /** Guarded by the task's lock. */
    private double last = Double.NEGATIVE_INFINITY;

    LogNotifier(LiveTask task, McpJsonMapper mapper) {
        this.task = task;
        this.mapper = mapper;
    }

    @Override
    public Mono<Void> progress(double progress, @Nullable Double total, @Nullable String message) {
        return Mono.fromRunnable(() -> {
            Map<String, @Nullable Object> data = new LinkedHashMap<>();
            data.put("progress", progress);
            if (total != null) {
                data.put("total", total);
            }
            if (message != null) {
                data.put("message", message);
            }
            task.told("progress", data, message, () -> grows(progress));
        });
    }

    private boolean grows(double progress) {
        boolean more = progress > last;
        last = more ? progress : last;
        return more;
    }

    @Override
    public Mono<Void> notify(String method, @Nullable Object params) {
        return Mono.fromRunnable(() -> {
            Map<String, @Nullable Object> data = new LinkedHashMap<>();
            data.put("method", method);
            data.put("params", plain(params));
            task.told("notification", data, null, () -> true);
        });
    }

    private @Nullable Object plain(@Nullable Object params) {
        return params == null ? null : Json.MAPPER.treeToValue(Json.MAPPER.readTree(bytes(params)), Object.class);
    }

    private byte[] bytes(Object value) {
        try {
            return mapper.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
