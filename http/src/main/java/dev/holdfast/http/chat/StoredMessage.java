package dev.holdfast.http.chat;

import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import java.util.Optional;

/** Messages of the store as the clients of the AI SDK read them. */
final class StoredMessage {

    private StoredMessage() {}

    /** What the turn has written: nothing while it runs for the first time. */
    static Optional<UiMessage> of(Session session, TurnStatus turn) {
        return session.message(turn.messageId()).flatMap(StoredMessage::read);
    }

    /** Empty if another application wrote something that is no message of the AI SDK. */
    static Optional<UiMessage> read(Message message) {
        try {
            return Optional.of(UiMessage.parse(message.content()));
        } catch (InvalidUiJson e) {
            return Optional.empty();
        }
    }
}
