/** Tests of the parts of a node. */
@NullMarked
package dev.holdfast.node;

import org.jspecify.annotations.NullMarked;
