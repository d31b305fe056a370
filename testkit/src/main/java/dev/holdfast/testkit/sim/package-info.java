/** A seeded simulator: the real core on a scripted disk and a virtual clock, against a model made of plain lists. */
@NullMarked
package dev.holdfast.testkit.sim;

import org.jspecify.annotations.NullMarked;
