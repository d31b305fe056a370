/** How messages travel: server-sent events with POSTs, or a WebSocket. */
@NullMarked
package dev.holdfast.client.transport;

import org.jspecify.annotations.NullMarked;
