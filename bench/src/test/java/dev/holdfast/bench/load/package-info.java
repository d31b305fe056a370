/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.load;

import org.jspecify.annotations.NullMarked;
