/** The event store by itself. */
@NullMarked
package dev.holdfast.mcp.events;

import org.jspecify.annotations.NullMarked;
