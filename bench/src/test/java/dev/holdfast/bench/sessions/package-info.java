/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.sessions;

import org.jspecify.annotations.NullMarked;
