/** Tests of the messages. */
@NullMarked
package dev.holdfast.client.message;

import org.jspecify.annotations.NullMarked;
