/** A look into the turns of core, for tests. */
@NullMarked
package dev.holdfast.turn;

import org.jspecify.annotations.NullMarked;
