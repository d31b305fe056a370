/** The reserved subscription APIs of the Durable Streams protocol: durable cursors that wake workers by webhook or through a wake stream. */
@NullMarked
package dev.holdfast.http.durablestreams.subscriptions;

import org.jspecify.annotations.NullMarked;
