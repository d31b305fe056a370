package dev.holdfast.stream;

/** What a stream's producer declared of it. It says nothing of whether a producer is alive: a live stream may be abandoned. */
public enum StreamState {
    LIVE,
    COMPLETED,
    ERRORED
}
