/** Turns on a real store: their life, their end, and what becomes of them when the process is lost. */
@NullMarked
package dev.holdfast.verification.turn;

import org.jspecify.annotations.NullMarked;
