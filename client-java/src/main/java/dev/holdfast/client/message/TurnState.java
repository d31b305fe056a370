package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Where a turn is in its life. */
public enum TurnState {
    @JsonProperty("accepted")
    ACCEPTED,
    @JsonProperty("streaming")
    STREAMING,
    @JsonProperty("awaiting")
    AWAITING,
    @JsonProperty("completed")
    COMPLETED,
    @JsonProperty("stopped")
    STOPPED,
    @JsonProperty("failed")
    FAILED,
    @JsonProperty("interrupted")
    INTERRUPTED,
    /** One that a newer server knows. */
    @JsonEnumDefaultValue
    @JsonProperty("unknown")
    UNKNOWN;

    /** Whether the turn has ended. */
    public boolean isOutcome() {
        return switch (this) {
            case COMPLETED, STOPPED, FAILED, INTERRUPTED -> true;
            case ACCEPTED, STREAMING, AWAITING, UNKNOWN -> false;
        };
    }
}
