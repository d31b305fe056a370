/** Tests of the storage port's own parts. */
@NullMarked
package dev.holdfast.store;

import org.jspecify.annotations.NullMarked;
