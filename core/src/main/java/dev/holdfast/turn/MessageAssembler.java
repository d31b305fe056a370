package dev.holdfast.turn;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes a message of a turn's chunks: when the turn ends, when it waits, and when a lost turn's partial is kept. Pure: the same input gives
 * the same bytes, so that recovery and the live path write the same message. Thread-safe.
 */
@FunctionalInterface
public interface MessageAssembler {

    /**
     * @return the message's content, or empty if there is nothing to keep
     */
    Optional<byte[]> assemble(Assembly assembly);

    /**
     * What a message is made of.
     *
     * @param messageId id of the message
     * @param before content of the message written before the turn waited, to be continued; or null
     * @param chunks all chunks of the stream, in order
     * @param end how the stream ends; what is open is closed accordingly
     * @param reason why it ended so, or null
     */
    record Assembly(
            String messageId,
            byte @Nullable [] before,
            List<byte[]> chunks,
            End end,
            @Nullable String reason) {}

    /** How the stream that is being assembled ends. */
    enum End {
        COMPLETED,
        AWAITING,
        STOPPED,
        FAILED,
        INTERRUPTED
    }
}
