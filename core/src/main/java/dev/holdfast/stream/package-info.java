/** Streams: ordered, append-only, durable logs of chunks that can be closed. */
@NullMarked
package dev.holdfast.stream;

import org.jspecify.annotations.NullMarked;
