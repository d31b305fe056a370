/** The chunk and message types of the AI SDK, and the assembly of messages from chunks. */
@NullMarked
package dev.holdfast.uimessage;

import org.jspecify.annotations.NullMarked;
