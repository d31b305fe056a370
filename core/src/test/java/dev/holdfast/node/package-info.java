/** Tests of the storage port's own parts. */
@NullMarked
package dev.holdfast.node;

import org.jspecify.annotations.NullMarked;
