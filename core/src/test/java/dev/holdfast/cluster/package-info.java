/** Tests of what nodes tell each other. */
@NullMarked
package dev.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
