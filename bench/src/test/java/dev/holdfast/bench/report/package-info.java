/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.report;

import org.jspecify.annotations.NullMarked;
