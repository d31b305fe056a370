/** The Durable Streams wire against the published suite and client, with real server processes. */
@NullMarked
package dev.holdfast.verification.durablestreams;

import org.jspecify.annotations.NullMarked;
