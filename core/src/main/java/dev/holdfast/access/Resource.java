package dev.holdfast.access;

/** What it is asked of, always within the principal's tenant. */
public sealed interface Resource {

    /** All streams of the tenant. */
    record AllStreams() implements Resource {}

    /** One stream by name; it need not exist. */
    record OneStream(String name) implements Resource {}

    /** All sessions of the tenant. */
    record AllSessions() implements Resource {}

    /** One session with all it owns; it need not exist. */
    record OneSession(String id) implements Resource {}
}
