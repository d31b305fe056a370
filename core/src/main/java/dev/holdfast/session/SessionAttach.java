package dev.holdfast.session;

import java.util.List;

/** The named answer to a session's cursor (EXPLICIT-CURSOR): never a silent wait, never a silent gap. */
public sealed interface SessionAttach {

    /**
     * The cursor stands.
     *
     * @param reader goes on with the feed exactly there; close it
     * @param live the turns without an outcome as of now, each with its stream from where the cursor left it, or from its beginning if the
     *     cursor does not know it. The events before now that led here are still to come from the reader
     * @param cursor the same cursor without the streams that have ended
     */
    record Ok(FeedReader reader, List<LiveTurn> live, SessionCursor cursor) implements SessionAttach {}

    /**
     * Events behind the cursor were trimmed away. Start from the snapshot.
     */
    record TooOld(SessionSnapshot snapshot) implements SessionAttach {}

    /** The cursor lies beyond the feed's end, as after a restored backup. Start from the snapshot. */
    record Ahead(SessionSnapshot snapshot) implements SessionAttach {}

    /** Another session gave the cursor; it may have had the same id and have been deleted. Start without a cursor. */
    record WrongSession() implements SessionAttach {}

    /** There is no such session (any more). */
    record Gone() implements SessionAttach {}
}
