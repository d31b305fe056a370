package dev.holdfast.client;

import java.time.Duration;

/** Where a client's connection is. */
public sealed interface ClientState {

    /** Not asked to connect yet. */
    record Idle() implements ClientState {}

    /** A connection is being opened. */
    record Opening() implements ClientState {}

    /** Welcomed; what is watched is being attached. */
    record Syncing(String connection) implements ClientState {}

    /** Welcomed, and everything watched is attached. */
    record Connected(String connection) implements ClientState {}

    /**
     * There is no connection; the client comes back by itself.
     *
     * @param why one sentence
     */
    record Waiting(String why, Duration pause) implements ClientState {}

    /**
     * There is no connection, and the client does not come back unless it is asked to.
     *
     * @param why one sentence
     */
    record Ended(Reason reason, String why) implements ClientState {}

    /** Closed for good. */
    record Closed() implements ClientState {}

    /** Why a client does not come back by itself. */
    enum Reason {
        /** The server said goodbye because this client left. */
        LEFT,
        /** The key counts no more, or never did. */
        UNAUTHORIZED,
        /** The server refused to open a connection. */
        REFUSED,
        /** What answers is no server that this client can speak with. */
        NO_SERVER
    }
}
