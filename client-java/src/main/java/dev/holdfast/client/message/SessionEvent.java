package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What happened in a session. Immutable, but for JSON in it, which callers leave as it is. What a client does at each is in docs/wires/session.md.
 * {@code seq} is the event's number in the session's feed, {@code at} its time.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"kind", "seq", "at"})
public sealed interface SessionEvent {

    /** The event's name on the wire. */
    @JsonProperty("kind")
    String kind();

    /**
     * A message takes the place of what is there under its id, chunks included.
     *
     * @param turn the turn that wrote it, if one did
     * @param message null beyond 256 KiB: get it by its id
     * @param moved whether it is under another parent now
     */
    record MessageAdded(
            long seq,
            Instant at,
            String messageId,
            @JsonInclude @Nullable String turn,
            @JsonInclude @Nullable StoredMessage message,
            @Nullable Boolean moved)
            implements SessionEvent {
        public MessageAdded {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(messageId, "messageId");
        }

        @Override
        public String kind() {
            return "message-added";
        }
    }

    /** As {@link MessageAdded}, for one that was there. */
    record MessageUpdated(
            long seq,
            Instant at,
            String messageId,
            @JsonInclude @Nullable String turn,
            @JsonInclude @Nullable StoredMessage message,
            @Nullable Boolean moved)
            implements SessionEvent {
        public MessageUpdated {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(messageId, "messageId");
        }

        @Override
        public String kind() {
            return "message-updated";
        }
    }

    /** A message is gone. */
    record MessageDeleted(long seq, Instant at, String messageId) implements SessionEvent {
        public MessageDeleted {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(messageId, "messageId");
        }

        @Override
        public String kind() {
            return "message-deleted";
        }
    }

    /** All messages are gone. */
    record MessagesCleared(long seq, Instant at) implements SessionEvent {
        public MessagesCleared {
            Objects.requireNonNull(at, "at");
        }

        @Override
        public String kind() {
            return "messages-cleared";
        }
    }

    /** A turn was accepted; where it does not stream it waits in the queue. */
    record TurnStarted(
            long seq, Instant at, String turn, @Nullable String messageId, boolean streaming) implements SessionEvent {
        public TurnStarted {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(turn, "turn");
        }

        @Override
        public String kind() {
            return "turn-started";
        }
    }

    /** The chunks of this turn begin anew. */
    record StreamOpened(String turn, String messageId) implements SessionEvent {
        public StreamOpened {
            Objects.requireNonNull(turn, "turn");
            Objects.requireNonNull(messageId, "messageId");
        }

        @Override
        public String kind() {
            return "stream-opened";
        }
    }

    /**
     * A chunk of a turn's message.
     *
     * @param seq its number in the turn's stream; null for one that was merged for a snapshot
     * @param data a UIMessageChunk of the AI SDK, or what another agent emitted
     */
    record Chunk(String turn, @Nullable Long seq, JsonNode data) implements SessionEvent {
        public Chunk {
            Objects.requireNonNull(turn, "turn");
            Objects.requireNonNull(data, "data");
        }

        @Override
        public String kind() {
            return "chunk";
        }
    }

    /** A turn waits for someone. */
    record TurnAwaiting(
            long seq,
            Instant at,
            String turn,
            @Nullable String messageId,
            @Nullable String reason,
            List<PendingCall> pending)
            implements SessionEvent {
        public TurnAwaiting {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(turn, "turn");
            pending = List.copyOf(pending);
        }

        @Override
        public String kind() {
            return "turn-awaiting";
        }
    }

    /** A turn was asked to stop. */
    record TurnStopping(
            long seq, Instant at, String turn, @Nullable String reason) implements SessionEvent {
        public TurnStopping {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(turn, "turn");
        }

        @Override
        public String kind() {
            return "turn-stopping";
        }
    }

    /** A turn goes on after a crash or a stall. */
    record TurnRecovering(
            long seq, Instant at, String turn, @Nullable String reason) implements SessionEvent {
        public TurnRecovering {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(turn, "turn");
        }

        @Override
        public String kind() {
            return "turn-recovering";
        }
    }

    /** A turn has its outcome. */
    record TurnEnded(
            long seq,
            Instant at,
            String turn,
            @Nullable String messageId,
            TurnState outcome,
            @Nullable String reason) implements SessionEvent {
        public TurnEnded {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(turn, "turn");
            Objects.requireNonNull(outcome, "outcome");
        }

        @Override
        public String kind() {
            return "turn-ended";
        }
    }

    /** A property of the session was set or removed. */
    record PropertyChanged(long seq, Instant at, String name) implements SessionEvent {
        public PropertyChanged {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(name, "name");
        }

        @Override
        public String kind() {
            return "property-changed";
        }
    }

    /** The session's mode was set, or removed. */
    record ModeChanged(
            long seq, Instant at, @JsonInclude @Nullable String mode) implements SessionEvent {
        public ModeChanged {
            Objects.requireNonNull(at, "at");
        }

        @Override
        public String kind() {
            return "mode-changed";
        }
    }

    /** The session was closed by its driver. */
    record SessionClosed(long seq, Instant at, @Nullable String reason) implements SessionEvent {
        public SessionClosed {
            Objects.requireNonNull(at, "at");
        }

        @Override
        public String kind() {
            return "session-closed";
        }
    }

    /** Someone sent to the closed session. */
    record SessionReopened(long seq, Instant at) implements SessionEvent {
        public SessionReopened {
            Objects.requireNonNull(at, "at");
        }

        @Override
        public String kind() {
            return "session-reopened";
        }
    }

    /** A kind that only a newer server knows; to be passed over. */
    record Unknown(String kind, JsonNode json) implements SessionEvent {
        @JsonValue
        @Override
        public JsonNode json() {
            return json;
        }
    }
}
