/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.core;

import org.jspecify.annotations.NullMarked;
