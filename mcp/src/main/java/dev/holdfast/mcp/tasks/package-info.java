/** Durable tasks: the extension of SEP-2663, and a stream of events for each task. */
@NullMarked
package dev.holdfast.mcp.tasks;

import org.jspecify.annotations.NullMarked;
