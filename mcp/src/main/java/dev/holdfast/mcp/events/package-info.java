/** The event store: sessions, their streams, and ids that name a session, a stream and a position. Knows neither the SDK nor HTTP. */
@NullMarked
package dev.holdfast.mcp.events;

import org.jspecify.annotations.NullMarked;
