/** The session transport: many sessions over one connection that may break at any moment (docs/wires/session.md). */
@NullMarked
package dev.holdfast.http.session;

import org.jspecify.annotations.NullMarked;
