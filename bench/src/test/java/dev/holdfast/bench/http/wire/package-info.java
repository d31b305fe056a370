/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.http.wire;

import org.jspecify.annotations.NullMarked;
