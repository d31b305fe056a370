package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a client says: commands, each with an id that its reply repeats. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"type", "id"})
public sealed interface ClientMessage {

    /** The longest {@link #id}. */
    int MAX_ID_CHARACTERS = 64;

    /** The name of the command on the wire. */
    @JsonProperty("type")
    String type();

    /** Chosen by the client, 1 to {@value #MAX_ID_CHARACTERS} characters. */
    String id();

    /** A session and where to go on in it; without a cursor it begins with a snapshot. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Position(String session, @Nullable String cursor) {
        public Position {
            Objects.requireNonNull(session, "session");
        }
    }

    /** Watches each session from its cursor; at most 256. */
    record Reconnect(String id, List<Position> sessions) implements ClientMessage {
        public Reconnect {
            checkId(id);
            sessions = List.copyOf(sessions);
        }

        @Override
        public String type() {
            return "reconnect";
        }
    }

    /** Watches one session. */
    record Watch(String id, String session, @Nullable String cursor) implements ClientMessage {
        public Watch {
            checkId(id);
            Objects.requireNonNull(session, "session");
        }

        @Override
        public String type() {
            return "watch";
        }
    }

    /** Stops watching one. */
    record Unwatch(String id, String session) implements ClientMessage {
        public Unwatch {
            checkId(id);
            Objects.requireNonNull(session, "session");
        }

        @Override
        public String type() {
            return "unwatch";
        }
    }

    /** Watches this session in the foreground instead of the one before; null for none. */
    record Switch(
            String id,
            @JsonInclude @Nullable String session,
            @Nullable String cursor) implements ClientMessage {
        public Switch {
            checkId(id);
        }

        @Override
        public String type() {
            return "switch";
        }
    }

    /** Starts a turn, once, however often it is sent. */
    record Send(
            String id, @Nullable String session, @Nullable Boolean create, TurnDraft turn) implements ClientMessage {
        public Send {
            checkId(id);
            Objects.requireNonNull(turn, "turn");
        }

        @Override
        public String type() {
            return "send";
        }
    }

    /** Starts a turn and stops the one that ran before it. */
    record Interrupt(
            String id, @Nullable String session, @Nullable Boolean create, TurnDraft turn) implements ClientMessage {
        public Interrupt {
            checkId(id);
            Objects.requireNonNull(turn, "turn");
        }

        @Override
        public String type() {
            return "interrupt";
        }
    }

    /** Stops a turn, or the one that runs. */
    record Stop(
            String id,
            String session,
            @Nullable String turn,
            @Nullable String reason) implements ClientMessage {
        public Stop {
            checkId(id);
            Objects.requireNonNull(session, "session");
        }

        @Override
        public String type() {
            return "stop";
        }
    }

    /** Answers a tool call, or the question whether a tool may run. */
    record Answer(String id, String session, String turn, ToolAnswer answer) implements ClientMessage {
        public Answer {
            checkId(id);
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(turn, "turn");
            Objects.requireNonNull(answer, "answer");
        }

        @Override
        public String type() {
            return "answer";
        }
    }

    /** Sets the session's mode, 1 to 64 characters. */
    record Mode(String id, String session, String mode) implements ClientMessage {
        public Mode {
            checkId(id);
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(mode, "mode");
        }

        @Override
        public String type() {
            return "mode";
        }
    }

    /** Nobody looks: only heartbeats are wanted. */
    record Suspend(String id) implements ClientMessage {
        public Suspend {
            checkId(id);
        }

        @Override
        public String type() {
            return "suspend";
        }
    }

    /** Somebody looks again. */
    record Resume(String id) implements ClientMessage {
        public Resume {
            checkId(id);
        }

        @Override
        public String type() {
            return "resume";
        }
    }

    /** Ends a session; for its driver. */
    record Close(String id, String session, @Nullable String reason) implements ClientMessage {
        public Close {
            checkId(id);
            Objects.requireNonNull(session, "session");
        }

        @Override
        public String type() {
            return "close";
        }
    }

    /** Asks for a sign of life on the way down. The nonce has 1 to 100 characters. */
    record Probe(String id, String nonce) implements ClientMessage {
        public Probe {
            checkId(id);
            Objects.requireNonNull(nonce, "nonce");
        }

        @Override
        public String type() {
            return "probe";
        }
    }

    /** Leaves for good. */
    record Bye(String id) implements ClientMessage {
        public Bye {
            checkId(id);
        }

        @Override
        public String type() {
            return "bye";
        }
    }

    private static void checkId(String id) {
        if (id.isEmpty() || id.length() > MAX_ID_CHARACTERS) {
            throw new IllegalArgumentException(
                    "A command's id has 1 to %d characters; got %d.".formatted(MAX_ID_CHARACTERS, id.length()));
        }
    }
}
