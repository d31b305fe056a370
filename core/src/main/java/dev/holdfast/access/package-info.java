/** Trust: who asks, what for, and the port that says yes or no. */
@NullMarked
package dev.holdfast.access;

import org.jspecify.annotations.NullMarked;
