/** Tests of the settings of an instance. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
