package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.InvalidArgument;

/**
 * Writes answers into messages: the counterpart of {@link MessageAssembler} for what comes from outside while a turn waits. Pure and
 * thread-safe.
 */
@FunctionalInterface
public interface ToolAnswers {

    /**
     * Applies an answer to a message.
     *
     * @throws InvalidArgument if the answer itself is malformed
     */
    Applied apply(byte[] message, ToolAnswer answer);

    /** What the answer does to the message. */
    sealed interface Applied {

        /**
         * It is new.
         *
         * @param message the message with it
         * @param settled whether nothing of the message waits for an answer any more
         */
        @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
        record Changed(byte[] message, boolean settled) implements Applied {}

        /** The message has this very answer already. */
        record Same() implements Applied {}

        /**
         * The message does not take it.
         *
         * @param why completes "The tool call ..."
         */
        record Contradicts(String why) implements Applied {}

        /** The message has no such call. */
        record Unknown() implements Applied {}
    }
}
