/** Server-sent events: frames, and a writer that keeps an idle connection alive. */
@NullMarked
package dev.holdfast.http.sse;

import org.jspecify.annotations.NullMarked;
