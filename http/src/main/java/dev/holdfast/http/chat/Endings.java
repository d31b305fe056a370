package dev.holdfast.http.chat;

import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last chunks of a turn: the metadata that the stored message has, so that a client knows how it ended (it cannot tell a stop from a
 * complete answer otherwise), and exactly one that ends the message.
 */
final class Endings {

    private static final String INTERRUPTED = "The answer was interrupted. What came until then is kept.";

    private Endings() {}

    /**
     * @param turn as it stands
     * @param message as stored, if the client shows it
     * @param said how the agent ended the message, if it did
     */
    static List<UiChunk> of(TurnStatus turn, Optional<UiMessage> message, Optional<UiChunk> said) {
        List<UiChunk> chunks = new ArrayList<>();
        message.map(UiMessage::metadata).ifPresent(metadata -> chunks.add(new UiChunk.MessageMetadata(metadata)));
        chunks.add(last(turn, said));
        return chunks;
    }

    private static UiChunk last(TurnStatus turn, Optional<UiChunk> said) {
        return switch (turn.state()) {
            case COMPLETED ->
                said.filter(chunk -> !(chunk instanceof UiChunk.Abort)).orElseGet(() -> new UiChunk.Finish("stop"));
            case STOPPED -> new UiChunk.Abort(turn.error(), Map.of());
            case FAILED ->
                said.filter(UiChunk.StreamError.class::isInstance)
                        .orElseGet(() -> new UiChunk.StreamError(text(turn.error(), "The agent failed.")));
            case INTERRUPTED -> new UiChunk.StreamError(text(turn.error(), INTERRUPTED));
            case AWAITING, STREAMING, ACCEPTED -> new UiChunk.Finish("tool-calls");
        };
    }

    private static String text(@Nullable String given, String unless) {
        return given == null || given.isBlank() ? unless : given;
    }
}
