/** Tests of the benchmark itself. */
@NullMarked
package dev.holdfast.bench.http.profile;

import org.jspecify.annotations.NullMarked;
