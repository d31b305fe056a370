/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.floor;

import org.jspecify.annotations.NullMarked;
