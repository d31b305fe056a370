/** What makes clients of the SDK follow tasks. */
@NullMarked
package dev.holdfast.mcp.client;

import org.jspecify.annotations.NullMarked;
