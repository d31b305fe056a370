package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A turn to start, as in the JSON API. Immutable.
 *
 * @param id the idempotency key; the message's id unless given. {@link dev.holdfast.client.SessionClient} makes one where both are missing
 * @param agent the agent's name; the server's default one without it
 * @param message the user's message
 * @param regenerate instead of a message: what to answer once more
 * @param input anything for the agent
 * @param messageId the id of the message that the turn will write
 * @param policy what happens while the session is busy
 * @param debounceMillis the window of {@link Policy#DEBOUNCE}, 1 to 3,600,000
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TurnDraft(
        @Nullable String id,
        @Nullable String agent,
        @Nullable UserMessage message,
        @Nullable String regenerate,
        @Nullable JsonNode input,
        @Nullable String messageId,
        @Nullable Policy policy,
        @Nullable Integer debounceMillis) {

    /** What becomes of a turn whose session is busy. */
    public enum Policy {
        @JsonProperty("queue")
        QUEUE,
        @JsonProperty("latest")
        LATEST,
        @JsonProperty("merge")
        MERGE,
        @JsonProperty("drop")
        DROP,
        @JsonProperty("debounce")
        DEBOUNCE
    }

    /**
     * The message that a turn answers: text, or a UIMessage as content.
     *
     * @param parentId the message it comes under; without it the active leaf
     * @param besideId the message it is another version of
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record UserMessage(
            @Nullable String id,
            @Nullable String role,
            @Nullable JsonNode content,
            @Nullable String text,
            @Nullable String parentId,
            @Nullable String besideId) {

        /** Its id, or that of its content; null if it has neither. */
        public @Nullable String key() {
            JsonNode own = content == null ? null : content.get("id");
            return id != null ? id : own != null && own.isString() ? own.stringValue() : null;
        }

        private UserMessage withId(String newId) {
            return new UserMessage(newId, role, content, text, parentId, besideId);
        }
    }

    /** One that answers a text of the user. */
    public static TurnDraft text(String text) {
        return message(new UserMessage(null, null, null, Objects.requireNonNull(text, "text"), null, null));
    }

    /** One that answers a message. */
    public static TurnDraft message(UserMessage message) {
        return new TurnDraft(null, null, Objects.requireNonNull(message, "message"), null, null, null, null, null);
    }

    /** One that answers the session's active leaf. */
    public static TurnDraft answer() {
        return new TurnDraft(null, null, null, null, null, null, null, null);
    }

    /** This one with an idempotency key. */
    public TurnDraft withId(String key) {
        return new TurnDraft(key, agent, message, regenerate, input, messageId, policy, debounceMillis);
    }

    /** This one for an agent of that name. */
    public TurnDraft withAgent(String name) {
        return new TurnDraft(id, name, message, regenerate, input, messageId, policy, debounceMillis);
    }

    /** This one with the id of the user's message; it has a message. */
    public TurnDraft withUserMessageId(String newId) {
        UserMessage named = Objects.requireNonNull(message, "message").withId(newId);
        return new TurnDraft(id, agent, named, regenerate, input, messageId, policy, debounceMillis);
    }

    /** This one with input for the agent. */
    public TurnDraft withInput(JsonNode newInput) {
        return new TurnDraft(id, agent, message, regenerate, newInput, messageId, policy, debounceMillis);
    }

    /** This one with a policy. */
    public TurnDraft withPolicy(Policy newPolicy) {
        return new TurnDraft(id, agent, message, regenerate, input, messageId, newPolicy, debounceMillis);
    }

    /** What makes a repetition known as one: the turn's id, or else the message's; null if it has neither. */
    public @Nullable String key() {
        return id != null || message == null ? id : message.key();
    }
}
