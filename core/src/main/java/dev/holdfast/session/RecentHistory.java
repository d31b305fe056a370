package dev.holdfast.session;

import java.util.List;

/**
 * The end of a path: the newest messages within a budget.
 *
 * @param messages root first; the last one is the message asked for. At least that one, whatever its size; none in an empty session
 * @param truncated whether the path has older messages than these
 * @param bytes the contents' size
 */
public record RecentHistory(List<Message> messages, boolean truncated, long bytes) {}
