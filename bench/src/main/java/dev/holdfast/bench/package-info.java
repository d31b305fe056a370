/** Benchmarks. */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
