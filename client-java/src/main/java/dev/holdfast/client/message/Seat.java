package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Who drives a session, as seen from here. */
public enum Seat {
    @JsonProperty("you")
    YOU,
    @JsonProperty("other")
    OTHER,
    @JsonProperty("none")
    NONE,
    /** One that a newer server knows. */
    @JsonEnumDefaultValue
    @JsonProperty("unknown")
    UNKNOWN
}
