package dev.holdfast.mcp;

import dev.holdfast.http.RequestHead;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Which rules a request is under, where an endpoint serves two eras of the protocol. A request of 2026-07-28 or later names its revision in the
 * {@code _meta} of its parameters, and mirrors it and its method in headers; every other one is under the rules with sessions.
 *
 * @param legacy the revisions 2025-03-26 to 2025-11-25, or null
 * @param modern the revisions from 2026-07-28 on, or null
 */
record Eras(@Nullable McpEra legacy, @Nullable McpEra modern) {

    private static final String META_VERSION = "io.modelcontextprotocol/protocolVersion";
    private static final String FIRST_MODERN = "2026-07-28";
    private static final Pattern REVISION = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    /** The rules of a request, with what was posted. */
    McpEra of(RequestHead head, @Nullable JsonNode message) {
        McpEra era = isModern(head, message) ? modern : legacy;
        if (era != null) {
            return era;
        }
        McpEra only = legacy != null ? legacy : modern;
        if (only == null) {
            throw new IllegalStateException("There is no era");
        }
        return only; // which says what it supports
    }

    private static boolean isModern(RequestHead head, @Nullable JsonNode message) {
        if (message != null
                && message.path("params").path("_meta").path(META_VERSION).isString()) {
            return true;
        }
        if (head.value("Mcp-Session-Id") != null || isHandshake(message)) {
            return false;
        }
        String version = head.value("MCP-Protocol-Version");
        if (version == null || !REVISION.matcher(version).matches()) {
            return head.value("Mcp-Method") != null;
        }
        return version.compareTo(FIRST_MODERN) >= 0;
    }

    /** Only the older revisions have one, whatever headers a client of both eras sends with it. */
    private static boolean isHandshake(@Nullable JsonNode message) {
        return message != null && message.path("method").asString("").equals("initialize");
    }

    void close() {
        if (legacy != null) {
            legacy.close();
        }
        if (modern != null) {
            modern.close();
        }
    }
}
