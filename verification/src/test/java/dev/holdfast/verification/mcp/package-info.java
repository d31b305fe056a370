/** MCP with the published conformance suite and published clients, through networks that break and servers that are killed. */
@NullMarked
package dev.holdfast.verification.mcp;

import org.jspecify.annotations.NullMarked;
