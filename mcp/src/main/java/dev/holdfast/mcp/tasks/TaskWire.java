package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Principal;
import dev.holdfast.mcp.McpPrincipal;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.server.McpHeader;
import io.modelcontextprotocol.modern.server.McpHeaders;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of the extension's wire, SEP-2663, and what every one of its requests is checked for. */
final class TaskWire {

    static final String EXTENSION = "io.modelcontextprotocol/tasks";

    static final String CALL = "tools/call";
    static final String GET = "tasks/get";
    static final String UPDATE = "tasks/update";
    static final String CANCEL = "tasks/cancel";

    /** Of the draft SEP-2694. */
    static final String STREAM = "tasks/stream";

    static final String CHANGED = "notifications/tasks";
    static final String EVENT = "notifications/tasks/event";

    /** The field of a subscription's filter. */
    static final String TASK_IDS = "taskIds";

    /** 160 bits in base64url; in a cluster behind the number of the node that made it. */
    private static final Pattern ID = Pattern.compile("([0-9a-f]{1,15}\\.)?[A-Za-z0-9_-]{27}");

    private TaskWire() {}

    /** Whether the client declared the extension in this request. */
    static boolean declared(McpRequestContext ctx) {
        Map<String, Map<String, Object>> extensions = ctx.clientCapabilities().extensions();
        return extensions != null && extensions.containsKey(EXTENSION);
    }

    static void requireDeclared(McpRequestContext ctx) {
        if (!declared(ctx)) {
            throw TaskErrors.extensionMissing();
        }
    }

    /** Who asks; whoever comes by a transport that knows nobody is anonymous. */
    static Principal principal(McpRequestContext ctx) {
        return McpPrincipal.of(ctx.transportContext()).orElse(Principal.anonymous(Holdfast.DEFAULT_TENANT));
    }

    /**
     * The task that a request of {@code tasks/*} names.
     *
     * @throws McpException if it names none, or its header another one
     */
    static String taskId(McpRequestContext ctx, Map<?, ?> params) {
        if (!(params.get("taskId") instanceof String id)) {
            throw TaskErrors.invalid("params.taskId is missing, or no string.");
        }
        Object mirrored = ctx.transportContext().get(McpHeaders.TRANSPORT_CONTEXT_KEY);
        if (mirrored instanceof McpHeaders headers && headers != McpHeaders.NOT_MIRRORED) {
            McpHeader name = headers.get("Mcp-Name");
            if (name == null || !id.equals(name.value())) {
                throw new McpException(
                        TaskErrors.HEADER_MISMATCH, "The header Mcp-Name must be the task's id, as in the body.");
            }
        }
        return id;
    }

    /** Whether a text could be the id of a task at all. */
    static boolean isId(@Nullable Object text) {
        return text instanceof String id && ID.matcher(id).matches();
    }
}
