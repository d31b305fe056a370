/** The JSON API under {@code /api/v1}: sessions, messages, turns, and their events as server-sent events. */
@NullMarked
package dev.holdfast.http.api;

import org.jspecify.annotations.NullMarked;
