/** The messages of the session transport (docs/wires/session.md) as records, and their JSON. */
@NullMarked
package dev.holdfast.client.message;

import org.jspecify.annotations.NullMarked;
