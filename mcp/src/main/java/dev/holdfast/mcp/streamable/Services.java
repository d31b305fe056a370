package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.events.McpEventStore;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpTransportContextExtractor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the parts of one transport share.
 *
 * @param closed whether the transport was closed
 */
record Services(
        StreamableSettings settings,
        String tenant,
        McpEventStore events,
        SessionStore sessions,
        McpJsonMapper mapper,
        McpTransportContextExtractor<RequestHead> extractor,
        Authorizer authorizer,
        Deadlines deadlines,
        AtomicBoolean closed) {

    long wallMillis() {
        return settings.time().wallMillis();
    }

    /** Runs something on a virtual thread of its own. */
    static Thread apart(String what, Runnable work) {
        return Thread.ofVirtual().name("holdfast-mcp-" + what).start(work);
    }
}
