package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The results of commands, besides {@link Receipt}. */
public final class Results {

    private Results() {}

    /** What became of each session of a {@code reconnect}. */
    public record Reconnected(List<Each> sessions) {

        public Reconnected {
            sessions = List.copyOf(sessions);
        }

        /** @param problem why it is not attached */
        @JsonInclude(JsonInclude.Include.NON_NULL)
        public record Each(
                String session, boolean attached, @Nullable Problem problem) {
            public Each {
                Objects.requireNonNull(session, "session");
            }
        }
    }

    /**
     * What became of a stop.
     *
     * @param accepted whether it is on disk; false if the turn had ended
     */
    public record Stopped(
            boolean accepted,
            @JsonInclude @Nullable String turn,
            @JsonInclude @Nullable TurnState state) {}

    /** What became of an answer to a tool call. */
    public record Answered(Effect effect, String turn, TurnState state) {

        public Answered {
            Objects.requireNonNull(effect, "effect");
            Objects.requireNonNull(turn, "turn");
            Objects.requireNonNull(state, "state");
        }

        /** What was done with it. */
        public enum Effect {
            /** It is in the message. */
            @JsonProperty("applied")
            APPLIED,
            /** It was there already. */
            @JsonProperty("repeated")
            REPEATED,
            /** It is on disk, and applied as soon as the turn waits. */
            @JsonProperty("kept")
            KEPT,
            /** One that a newer server knows. */
            @JsonEnumDefaultValue
            @JsonProperty("unknown")
            UNKNOWN
        }
    }

    /** The mode that was set. */
    public record ModeSet(String mode) {
        public ModeSet {
            Objects.requireNonNull(mode, "mode");
        }
    }

    /**
     * What became of closing a session.
     *
     * @param reason why not, where it was not accepted
     */
    public record Closed(boolean accepted, @Nullable String reason) {}
}
