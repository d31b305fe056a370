/** The benchmark of the Durable Streams wire: its cells, and the bars they are held against. */
@NullMarked
package dev.holdfast.bench.http;

import org.jspecify.annotations.NullMarked;
