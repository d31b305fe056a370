/** The load generator: HTTP/1.1 over selectors, one thread, one request in flight on each connection. */
@NullMarked
package dev.holdfast.bench.http.wire;

import org.jspecify.annotations.NullMarked;
