/** Turns: one run of an agent in a session, its stream, its outcome, and its recovery after a crash. */
@NullMarked
package dev.holdfast.turn;

import org.jspecify.annotations.NullMarked;
