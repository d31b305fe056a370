/** Turns: runs of an agent in a session, each ending in exactly one outcome. */
@NullMarked
package dev.holdfast.turn;

import org.jspecify.annotations.NullMarked;
