/** The sealed family of errors. */
@NullMarked
package dev.holdfast.error;

import org.jspecify.annotations.NullMarked;
