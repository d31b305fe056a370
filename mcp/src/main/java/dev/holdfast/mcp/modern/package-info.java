/** The revision 2026-07-28 over Holdfast's own HTTP port: stateless requests, whose end is the end of their connection. */
@NullMarked
package dev.holdfast.mcp.modern;

import org.jspecify.annotations.NullMarked;
