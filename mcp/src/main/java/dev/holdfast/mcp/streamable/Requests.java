package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.McpCall;
import dev.holdfast.mcp.McpProblem;

/** What the head of a request says, and what is checked of it. */
final class Requests {

    static final String SESSION = "Mcp-Session-Id";

    private static final String REVISION = "MCP-Protocol-Version";
    private static final String LAST_EVENT = "Last-Event-ID";

    private Requests() {}

    /**
     * Checks the revision, where a request names one.
     *
     * @throws McpProblem 400
     */
    static void checkRevision(RequestHead head) {
        String revision = head.value(REVISION);
        if (revision != null && !Revisions.ALL.contains(revision)) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The header %s names no revision that is served here; these are: %s."
                                    .formatted(REVISION, String.join(", ", Revisions.ALL)))
                    .because("unsupported-revision");
        }
    }

    /**
     * The session that a request names.
     *
     * @throws McpProblem 400 if it names none
     */
    static String session(RequestHead head) {
        String id = head.value(SESSION);
        if (id == null || id.isBlank()) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "Send the header %s as initialize has returned it.".formatted(SESSION))
                    .because("session-required");
        }
        return id;
    }

    /** The event that a client has seen last, or null. */
    static @org.jspecify.annotations.Nullable String lastEvent(RequestHead head) {
        String id = head.value(LAST_EVENT);
        return id == null || id.isBlank() ? null : id;
    }

    /**
     * @throws McpProblem 403 if the transport is not the principal's tenant's
     */
    static Principal ofTenant(McpCall call, String tenant) {
        if (!call.principal().tenant().equals(tenant)) {
            throw McpProblem.of(403, McpProblem.INVALID_REQUEST, "This endpoint belongs to another tenant.")
                    .because("wrong-tenant");
        }
        return call.principal();
    }

    /** Asks the port about a stream of a session, by the name that it has in the store. */
    static void authorize(Authorizer authorizer, Principal principal, Action action, String session, String stream) {
        authorizer.authorize(principal, action, new Resource.OneStream("mcp/" + session + "/" + stream));
    }
}
