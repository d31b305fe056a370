/** What streams do on the real embedded store, one scenario per test. */
@NullMarked
package dev.holdfast.verification.streams;

import org.jspecify.annotations.NullMarked;
