/** The chat wire: what {@code useChat} of the AI SDK (npm {@code ai}, majors 5, 6 and 7) speaks. */
@NullMarked
package dev.holdfast.http.chat;

import org.jspecify.annotations.NullMarked;
