/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.postgres;

import org.jspecify.annotations.NullMarked;
