/** The wires over HTTP, written once for every server they are bound to. */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
