/** MCP servers on Holdfast: one over a folder of documents, and one with all that the protocol's conformance suite asks for. */
@NullMarked
package dev.holdfast.examples.mcp;

import org.jspecify.annotations.NullMarked;
