/** A client of the session transport: many sessions over one connection that may break at any moment. */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
