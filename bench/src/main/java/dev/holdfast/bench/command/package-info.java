/** What the benchmarks' commands share: their options, and the folders they work in. */
@NullMarked
package dev.holdfast.bench.command;

import org.jspecify.annotations.NullMarked;
