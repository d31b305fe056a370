package dev.holdfast.mcp.events;

import java.util.List;

/**
 * What one read found.
 *
 * @param events consecutive messages; possibly none
 * @param upToDate whether nothing more could be read at that moment
 * @param ended whether the stream is settled and every message of it was read
 */
public record EventBatch(List<McpEvent> events, boolean upToDate, boolean ended) {}
