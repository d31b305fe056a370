/** What a run leaves: figures, bars, and the machine they were taken on. */
@NullMarked
package dev.holdfast.bench.report;

import org.jspecify.annotations.NullMarked;
