/** MCP calls: Holdfast's transports beside the stock ones of the official SDK. */
@NullMarked
package dev.holdfast.bench.mcp;

import org.jspecify.annotations.NullMarked;
