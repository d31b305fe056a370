/** Subscriptions as their clients see them, over HTTP, with real receivers of webhooks. */
@NullMarked
package dev.holdfast.verification.subscriptions;

import org.jspecify.annotations.NullMarked;
