/** The 2025 revisions over real sockets, a real store and the real SDK. */
@NullMarked
package dev.holdfast.mcp.streamable;

import org.jspecify.annotations.NullMarked;
