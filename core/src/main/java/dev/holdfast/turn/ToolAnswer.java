package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.stream.Names;
import org.jspecify.annotations.Nullable;

/** What a person or a client's tool answers to a call that a turn waits for. */
public sealed interface ToolAnswer {

    /** The call it answers. */
    String toolCallId();

    /**
     * The tool ran.
     *
     * @param output what it gave, in the form that the {@link ToolAnswers} port reads: JSON for AI SDK messages; not changed by the caller
     *     afterwards
     */
    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Output(String toolCallId, byte[] output) implements ToolAnswer {
        public Output {
            Names.check("tool call id", toolCallId);
        }
    }

    /** The tool failed. */
    record Failure(String toolCallId, String error) implements ToolAnswer {
        public Failure {
            Names.check("tool call id", toolCallId);
            if (error.isBlank()) {
                throw new InvalidArgument("A failed tool call needs an error that says what went wrong.");
            }
        }
    }

    /**
     * Someone decided whether the tool may run.
     *
     * @param reason shown to the model and to people, or null
     */
    record Approval(
            String toolCallId, boolean approved, @Nullable String reason) implements ToolAnswer {
        public Approval {
            Names.check("tool call id", toolCallId);
        }
    }
}
