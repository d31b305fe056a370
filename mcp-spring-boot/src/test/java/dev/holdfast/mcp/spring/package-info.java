@NullMarked
package dev.holdfast.mcp.spring;

import org.jspecify.annotations.NullMarked;
