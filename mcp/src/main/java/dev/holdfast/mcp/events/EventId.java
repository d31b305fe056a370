package dev.holdfast.mcp.events;

import dev.holdfast.stream.Cursor;

/**
 * What the id of an event says: whose it is, of which stream, and where reading goes on after it. Only {@link McpEventStore#parse} makes them,
 * so that there is none that this store did not give.
 *
 * @param sessionMark a digest of the session's id
 * @param stream the stream's id within the session
 * @param next where the stream goes on after the event
 */
public record EventId(long sessionMark, String stream, Cursor next) {

    /** Whether it was given to this session. */
    public boolean isOf(String session) {
        return sessionMark == EventIds.mark(session);
    }
}
