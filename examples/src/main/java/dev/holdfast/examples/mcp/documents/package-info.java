/**
 * An MCP server over a folder of documents, for clients of both eras of the protocol: it lists and reads them as resources, searches them, and
 * indexes all of them in a tool that takes its time, which outlives cut connections and the server itself.
 */
@NullMarked
package dev.holdfast.examples.mcp.documents;

import org.jspecify.annotations.NullMarked;
