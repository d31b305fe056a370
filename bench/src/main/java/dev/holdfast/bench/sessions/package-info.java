/** The benchmark of the session transport (docs/perf/sessions.md). */
@NullMarked
package dev.holdfast.bench.sessions;

import org.jspecify.annotations.NullMarked;
