/** The benchmark of the core: its parts, and the bars they are held against. */
@NullMarked
package dev.holdfast.bench.core;

import org.jspecify.annotations.NullMarked;
