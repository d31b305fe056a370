/** Where a server's processor time goes, by the flight recorder. */
@NullMarked
package dev.holdfast.bench.http.profile;

import org.jspecify.annotations.NullMarked;
