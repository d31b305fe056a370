/** What operators and people who look around for the first time see: health, and a page that says what this is. */
@NullMarked
package dev.holdfast.http.admin;

import org.jspecify.annotations.NullMarked;
