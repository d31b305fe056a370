/** The floors: the least that SQLite can be asked to do for the same appends. */
@NullMarked
package dev.holdfast.bench.floor;

import org.jspecify.annotations.NullMarked;
