/** The Durable Streams protocol: streams over plain HTTP, for any client of it. No engine logic, only the wire. */
@NullMarked
package dev.holdfast.http.durablestreams;

import org.jspecify.annotations.NullMarked;
