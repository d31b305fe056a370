/** The launcher at the root of the checkout, in copied checkouts with a build that only pretends. */
@NullMarked
package dev.holdfast.verification.launcher;

import org.jspecify.annotations.NullMarked;
