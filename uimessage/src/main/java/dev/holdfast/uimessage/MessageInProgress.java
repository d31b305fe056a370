package dev.holdfast.uimessage;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message while its chunks come: the parts that a client shows at that moment, made as {@link UiMessageAssembler} makes them. Takes constant time per
 * chunk. Owned by one thread.
 */
public final class MessageInProgress {

    private final MessageFold fold;

    /**
     * @param messageId the id of the message
     * @param before the message as it was written before its turn waited, to be continued; or null
     */
    public MessageInProgress(String messageId, @Nullable UiMessage before) {
        this.fold = before == null
                ? new MessageFold(messageId)
                : new MessageFold(messageId, UiMessage.parse(before.toBytes())); // the fold changes its parts
    }

    /** Applies the next chunk. One that refers to nothing is skipped. */
    public void accept(UiChunk chunk) {
        fold.accept(chunk);
    }

    /** The metadata so far, or null. */
    public @Nullable JsonNode metadata() {
        return fold.metadata().value();
    }

    /** The message as it stands; a copy, in time linear in its length. */
    public UiMessage snapshot() {
        return UiMessage.parse(fold.message().toBytes());
    }
}
