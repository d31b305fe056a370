/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.http;

import org.jspecify.annotations.NullMarked;
