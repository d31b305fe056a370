/** The chat wire against the published clients of the AI SDK. */
@NullMarked
package dev.holdfast.verification.chat;

import org.jspecify.annotations.NullMarked;
