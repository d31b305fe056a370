package dev.holdfast.uimessage;

import dev.holdfast.turn.MessageAssembler;
import java.util.Locale;
import java.util.Optional;

/**
 * Makes an AI SDK message of a turn's chunks, with the parts a client of the AI SDK makes of them.
 *
 * <p>However the stream ends, the message can be shown and sent to a model again: texts are done, and a tool call without a result ends with
 * an error that says so, except while the turn waits for that result. The metadata says how the message ended:
 * {@code "holdfast": {"status": "completed" | "stopped" | "failed" | "interrupted" | "awaiting", "reason": ...}}, beside the agent's own; metadata
 * that is not an object is left alone. Chunks that cannot be applied are skipped, and {@code "incomplete": true} stands beside the status.
 *
 * <p>A message without a part is not kept, unless it goes on with an earlier one. Takes time linear in the chunks. Thread-safe.
 */
public final class UiMessageAssembler implements MessageAssembler {

    /** The error of a tool call that has no result when its turn ends. */
    static final String INTERRUPTED = "The tool call was interrupted and has no result.";

    /**
     * @throws InvalidUiJson if {@code before} is not a message: it would be lost if another took its place
     */
    @Override
    public Optional<byte[]> assemble(Assembly assembly) {
        byte[] before = assembly.before();
        MessageFold fold = before == null
                ? new MessageFold(assembly.messageId())
                : new MessageFold(assembly.messageId(), UiMessage.parse(before));
        assembly.chunks().forEach(fold::accept);
        if (before == null && !fold.hasContent()) {
            return Optional.empty();
        }
        fold.close(assembly.end() == End.AWAITING ? null : INTERRUPTED);
        fold.metadata().end(status(assembly.end()), assembly.reason(), fold.isIncomplete());
        return Optional.of(fold.message().toBytes());
    }

    private static String status(End end) {
        return end.name().toLowerCase(Locale.ROOT);
    }
}
