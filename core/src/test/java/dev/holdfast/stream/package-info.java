/** Tests of the parts of streams that stand alone. */
@NullMarked
package dev.holdfast.stream;

import org.jspecify.annotations.NullMarked;
