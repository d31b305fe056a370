package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the server says. Immutable, but for JSON in it, which callers leave as it is. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"type"})
public sealed interface ServerMessage {

    /** The message's name on the wire. */
    @JsonProperty("type")
    String type();

    /** The first message of a connection. Of the durations, 0 is never. */
    record Welcome(int protocol, String connection, long heartbeatMillis, long retryMillis, long rotateAfterMillis)
            implements ServerMessage {
        public Welcome {
            Objects.requireNonNull(connection, "connection");
        }

        @Override
        public String type() {
            return "welcome";
        }
    }

    /**
     * The answer to a session's cursor; its events follow.
     *
     * @param cursor where the session stands after this
     * @param snapshot what takes the place of everything, where the answer is one
     * @param turns those without an outcome
     * @param boot what the host tells each client of the session
     */
    record Attached(
            String session,
            Answer answer,
            @Nullable Why why,
            String cursor,
            @Nullable Snapshot snapshot,
            List<LiveTurn> turns,
            Seat driver,
            @JsonInclude @Nullable String mode,
            boolean closed,
            @Nullable JsonNode boot)
            implements ServerMessage {
        public Attached {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(answer, "answer");
            Objects.requireNonNull(cursor, "cursor");
            Objects.requireNonNull(driver, "driver");
            turns = List.copyOf(turns);
            if (answer == Answer.SNAPSHOT) {
                Objects.requireNonNull(snapshot, "snapshot");
            }
        }

        @Override
        public String type() {
            return "attached";
        }

        /** What becomes of what the client has. */
        public enum Answer {
            /** It stays; what follows continues it. */
            @JsonProperty("ok")
            OK,
            /** The snapshot takes its place. */
            @JsonProperty("snapshot")
            SNAPSHOT
        }

        /** Why there is a snapshot. */
        public enum Why {
            /** There was no cursor. */
            @JsonProperty("new")
            NEW,
            /** What follows the cursor is kept no more. */
            @JsonProperty("too-old")
            TOO_OLD,
            /** The cursor is ahead of the store. */
            @JsonProperty("ahead")
            AHEAD,
            /** The cursor is of another session. */
            @JsonProperty("other-session")
            OTHER_SESSION,
            /** One that a newer server knows. */
            @JsonEnumDefaultValue
            @JsonProperty("unknown")
            UNKNOWN
        }

        /**
         * A session as it stands.
         *
         * @param messages the newest, root first
         * @param truncated whether older ones were left out
         */
        public record Snapshot(List<StoredMessage> messages, boolean truncated) {
            public Snapshot {
                messages = List.copyOf(messages);
            }
        }
    }

    /** No more of this session comes. */
    record Detached(
            String session, DetachReason reason, @Nullable Problem problem) implements ServerMessage {
        public Detached {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public String type() {
            return "detached";
        }

        /** Why. */
        public enum DetachReason {
            /** The client wished so. */
            @JsonProperty("unwatched")
            UNWATCHED,
            /** The session is no more. */
            @JsonProperty("deleted")
            DELETED,
            /** There is no such session. */
            @JsonProperty("not-found")
            NOT_FOUND,
            /** The client may not watch it. */
            @JsonProperty("not-authorized")
            NOT_AUTHORIZED,
            /** The server could not read it; it is watched again after a pause. */
            @JsonProperty("failed")
            FAILED,
            /** One that a newer server knows. */
            @JsonEnumDefaultValue
            @JsonProperty("unknown")
            UNKNOWN
        }
    }

    /**
     * What happened in a session, applied as a whole.
     *
     * @param from the cursor that it continues
     * @param cursor the cursor behind it
     */
    record Events(String session, String from, String cursor, List<SessionEvent> events) implements ServerMessage {
        public Events {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(from, "from");
            Objects.requireNonNull(cursor, "cursor");
            events = List.copyOf(events);
        }

        @Override
        public String type() {
            return "events";
        }
    }

    /**
     * Who drives a session has changed.
     *
     * @param displaced whether another device took this one's place
     */
    record Driver(String session, Seat driver, @Nullable Boolean displaced) implements ServerMessage {
        public Driver {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(driver, "driver");
        }

        @Override
        public String type() {
            return "driver";
        }
    }

    /** The answer to a command: a result, or a problem. */
    record Reply(
            String id,
            int status,
            @Nullable JsonNode result,
            @Nullable Problem problem) implements ServerMessage {
        public Reply {
            Objects.requireNonNull(id, "id");
        }

        @Override
        public String type() {
            return "reply";
        }

        /** Whether it is a result. */
        public boolean succeeded() {
            return status >= 200 && status < 300;
        }

        /** What was wrong, in any case in which it is no success. */
        public Problem problemOrStatus() {
            return problem == null ? Problem.ofStatus(status) : problem;
        }
    }

    /** The answer to a probe. */
    record Probe(String nonce) implements ServerMessage {
        public Probe {
            Objects.requireNonNull(nonce, "nonce");
        }

        @Override
        public String type() {
            return "probe";
        }
    }

    /** Nothing else came for a while. */
    record Heartbeat() implements ServerMessage {
        @Override
        public String type() {
            return "heartbeat";
        }
    }

    /** The server ends the connection on purpose; come back. */
    record Rotate(RotateReason reason, long retryMillis) implements ServerMessage {
        public Rotate {
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public String type() {
            return "rotate";
        }

        /** Why. */
        public enum RotateReason {
            /** It was planned. */
            @JsonProperty("rotation")
            ROTATION,
            /** The process ends. */
            @JsonProperty("draining")
            DRAINING,
            /** One that a newer server knows. */
            @JsonEnumDefaultValue
            @JsonProperty("unknown")
            UNKNOWN
        }
    }

    /** The last message; do not come back unasked. */
    record Goodbye(GoodbyeReason reason) implements ServerMessage {
        public Goodbye {
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public String type() {
            return "goodbye";
        }

        /** Why. */
        public enum GoodbyeReason {
            /** The client said so. */
            @JsonProperty("left")
            LEFT,
            /** One that a newer server knows. */
            @JsonEnumDefaultValue
            @JsonProperty("unknown")
            UNKNOWN
        }
    }

    /** A type that only a newer server knows; to be passed over. */
    record Unknown(String type, JsonNode json) implements ServerMessage {
        @JsonValue
        @Override
        public JsonNode json() {
            return json;
        }
    }
}
