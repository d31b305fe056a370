package dev.holdfast.models.loopback;

/** How a {@link LoopbackUpstream} misbehaves on one connection. */
public sealed interface Fault {

    /** Cuts the connection after so many events of it. */
    record CutAfter(int events) implements Fault {}

    /** Cuts the connection in the middle of the event after so many. */
    record CutInside(int events) implements Fault {}

    /** Ends the answer properly after so many events, as if it were complete. */
    record EndAfter(int events) implements Fault {}

    /** Sends nothing more after so many events, and leaves the connection open until its reader goes. */
    record HangAfter(int events) implements Fault {}

    /** Sends something that is not JSON after so many events. */
    record GarbageAfter(int events) implements Fault {}

    /** Answers with a status and a JSON text instead. */
    record Refuse(int status, String body) implements Fault {}
}
