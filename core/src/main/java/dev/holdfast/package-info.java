/** Holdfast: streams, sessions and turns that survive the loss of a connection and the end of a process. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
