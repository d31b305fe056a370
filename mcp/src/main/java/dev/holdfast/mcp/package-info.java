/** MCP that survives: one endpoint for the revisions from 2025-03-26 to 2026-07-28, on the official Java SDK. */
@NullMarked
package dev.holdfast.mcp;

import org.jspecify.annotations.NullMarked;
