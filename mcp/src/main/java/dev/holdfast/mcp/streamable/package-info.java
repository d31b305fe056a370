/** Streamable HTTP of the revisions 2025-03-26 to 2025-11-25: what the SDK writes goes to a stream, and connections are its readers. */
@NullMarked
package dev.holdfast.mcp.streamable;

import org.jspecify.annotations.NullMarked;
