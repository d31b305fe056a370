/** Streams: ordered, append-only, durable logs of chunks that can be read from any cursor and end in one transaction. */
@NullMarked
package dev.holdfast.stream;

import org.jspecify.annotations.NullMarked;
