/** Tests that look at more than one module. */
@NullMarked
package dev.holdfast.verification;

import org.jspecify.annotations.NullMarked;
