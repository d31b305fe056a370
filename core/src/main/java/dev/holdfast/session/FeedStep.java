package dev.holdfast.session;

import java.util.List;

/**
 * Some of a session's feed, and the turns that were live when it was read.
 *
 * @param events in order; empty if nothing new was there
 * @param atEnd whether nothing comes behind them as of that instant
 * @param live the turns without an outcome as of that instant, oldest first, each with its stream from the beginning
 */
public record FeedStep(List<FeedEvent> events, boolean atEnd, List<LiveTurn> live) {}
