/** The closed-loop driver, and what it drives. */
@NullMarked
package dev.holdfast.bench.load;

import org.jspecify.annotations.NullMarked;
