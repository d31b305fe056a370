/** The servers that the benchmark loads, each in a process of its own, and what can be read off such a process. */
@NullMarked
package dev.holdfast.bench.http.server;

import org.jspecify.annotations.NullMarked;
