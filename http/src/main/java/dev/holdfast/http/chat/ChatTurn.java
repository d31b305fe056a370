package dev.holdfast.http.chat;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.api.Fields;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import dev.holdfast.uimessage.UiMessage;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds or starts the turn that a posted body is about.
 *
 * <p>A client gives an edited message the id of the one it replaces. Here it is a message of its own beside that one, with an id made of the
 * client's and of its content: so the same edit sent twice is one, and the client's id leads to it as long as the client sends that content.
 */
final class ChatTurn {

    /** How many of a session's newest turns are looked through for the one that wrote a message. */
    private static final int MAX_TURNS_SEARCHED = 200;

    private static final int CONTENT_DIGITS = 12;

    private final Session session;
    private final Turns turns;
    private final String defaultAgent;

    ChatTurn(Session session, Turns turns, String defaultAgent) {
        this.session = session;
        this.turns = turns;
        this.defaultAgent = defaultAgent;
    }

    /** What to stream: a turn, and what its client has of it. */
    record Found(TurnStatus turn, Place place) {}

    /**
     * @param key the key that the request carries, if any
     * @param fresh a key that nobody else has
     */
    Found of(ChatBody body, Optional<String> key, String fresh) {
        if (body.regenerates()) {
            String again = body.messageId().flatMap(this::known).orElseGet(() -> lastMessage(body));
            return start(TurnRequest.regenerate(key.orElse(fresh), agent(body), again));
        }
        UiMessage last = body.last()
                .orElseThrow(() -> HttpProblem.badRequest("The body needs the \"messages\", or the new \"message\"."));
        return switch (last.role()) {
            case "user" -> submit(body, last, key);
            case "assistant" -> answer(last);
            default ->
                throw HttpProblem.badRequest(
                        "The last message has the role \"%s\". Send one of the user, or the assistant's with the outputs of its tools."
                                .formatted(last.role()));
        };
    }

    private Found start(TurnRequest request) {
        return new Found(turns.start(session.id(), request).status(), new Place.Nothing());
    }

    private String agent(ChatBody body) {
        return body.agent().orElse(defaultAgent);
    }

    private Found submit(ChatBody body, UiMessage sent, Optional<String> key) {
        Fields.addressable("message id", sent.id());
        boolean replaces = body.messageId().filter(sent.id()::equals).isPresent() && isOther(sent);
        UiMessage message = replaces ? withId(sent, editedId(sent)) : sent;
        MessageDraft draft = MessageDraft.of(message.id(), message.role(), message.toBytes());
        TurnRequest request =
                TurnRequest.answer(key.orElse(message.id()), agent(body), replaces ? draft.beside(sent.id()) : draft);
        return start(request.when(body.policy()));
    }

    /** Whether the store has another message under this id. */
    private boolean isOther(UiMessage sent) {
        return session.message(sent.id())
                .flatMap(StoredMessage::read)
                .filter(stored -> !stored.parts().equals(sent.parts()))
                .isPresent();
    }

    private static UiMessage withId(UiMessage message, String id) {
        return new UiMessage(id, message.role(), message.metadata(), message.parts(), message.extra());
    }

    private static String editedId(UiMessage message) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(new UiMessage("", "", message.parts()).toBytes());
            return message.id() + "~"
                    + HexFormat.of().formatHex(digest.digest()).substring(0, CONTENT_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no SHA-256, which every Java must have", e);
        }
    }

    /** The message to answer again, where the client does not name one. */
    private String lastMessage(ChatBody body) {
        Optional<UiMessage> last = body.last();
        if (last.isPresent()) {
            String edited = editedId(last.get());
            return session.message(edited).isPresent() ? edited : last.get().id();
        }
        return body.messageId()
                .or(() -> session.leaf().map(Message::id))
                .orElseThrow(() -> HttpProblem.badRequest("There is nothing to regenerate in this chat."));
    }

    /** The id if it names a message that is there, or will be: an answer that is being written. */
    private Optional<String> known(String id) {
        boolean written =
                session.message(id).filter(m -> !m.role().equals("user")).isPresent();
        boolean coming = turns.live(session.id()).stream()
                .anyMatch(turn -> turn.messageId().equals(id));
        return written || coming ? Optional.of(id) : Optional.empty();
    }

    /** The client sends the assistant's message back, with outputs of its tools and decisions of its user. */
    private Found answer(UiMessage sent) {
        TurnStatus turn = writerOf(sent.id());
        UiMessage stored = StoredMessage.of(session, turn)
                .orElseThrow(() -> new TurnConflict(
                        "Turn \"%s\" has not stopped to wait for anyone. Follow it with GET until it does, and answer then."
                                .formatted(turn.id())));
        SentAnswers.of(sent, stored).forEach(answer -> turns.answer(session.id(), turn.id(), answer));
        return new Found(turns.status(session.id(), turn.id()).orElse(turn), new Place.Message(sent));
    }

    private TurnStatus writerOf(String messageId) {
        List<TurnStatus> live = turns.live(session.id());
        return Stream.concat(live.stream(), turns.latest(session.id(), MAX_TURNS_SEARCHED).stream())
                .filter(turn -> turn.messageId().equals(messageId))
                .findFirst()
                .orElseThrow(() -> new MessageNotFound(session.id(), messageId));
    }
}
