package dev.holdfast.mcp.tasks;

import com.fasterxml.jackson.annotation.JsonValue;
import io.modelcontextprotocol.modern.McpSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A result that is what its fields say.
 *
 * @param fields with {@code resultType} among them
 */
record Fields(@JsonValue Map<String, @Nullable Object> fields) implements McpSchema.Result {

    /** What acknowledges. */
    static Fields acknowledged() {
        return complete(Map.of());
    }

    static Fields complete(Map<String, ? extends @Nullable Object> members) {
        return of(McpSchema.ResultType.COMPLETE, members);
    }

    static Fields task(Map<String, ? extends @Nullable Object> members) {
        return of("task", members);
    }

    private static Fields of(String type, Map<String, ? extends @Nullable Object> members) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("resultType", type);
        all.putAll(members);
        return new Fields(all);
    }

    @Override
    public String resultType() {
        return String.valueOf(fields.get("resultType"));
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the SDK takes null for none
    public Map<String, Object> meta() {
        return fields.get("_meta") instanceof Map<?, ?> meta ? (Map<String, Object>) meta : null;
    }
}
