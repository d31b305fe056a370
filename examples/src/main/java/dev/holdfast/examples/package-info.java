/** Small programs that use Holdfast as a library. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
