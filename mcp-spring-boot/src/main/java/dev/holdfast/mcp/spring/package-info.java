/** An auto-configuration of Spring Boot: MCP servers get a transport that survives, in place of Spring AI's own. */
@NullMarked
package dev.holdfast.mcp.spring;

import org.jspecify.annotations.NullMarked;
