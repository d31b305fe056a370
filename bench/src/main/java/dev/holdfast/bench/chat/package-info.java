/** {@code ./holdfast bench chat}: turns with a live reader, beside Redis Streams; resuming a long turn; memory of live turns. */
@NullMarked
package dev.holdfast.bench.chat;

import org.jspecify.annotations.NullMarked;
