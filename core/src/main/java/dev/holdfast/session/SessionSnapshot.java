package dev.holdfast.session;

import java.util.List;

/**
 * A session at one instant: enough for a client to start from, and a cursor that goes on exactly behind it.
 *
 * @param recent the newest messages of the path to the active leaf
 * @param live the turns without an outcome, oldest first, each with its stream from the beginning
 * @param cursor where to go on
 */
public record SessionSnapshot(RecentHistory recent, List<LiveTurn> live, SessionCursor cursor) {}
