/** Faults injected at the store's port and through the real store. */
@NullMarked
package dev.holdfast.verification.faults;

import org.jspecify.annotations.NullMarked;
