/** Tests of what the benchmark commands share. */
@NullMarked
package dev.holdfast.bench.command;

import org.jspecify.annotations.NullMarked;
