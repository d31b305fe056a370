package dev.holdfast.session;

import java.util.List;
import java.util.Map;

/**
 * Some of a session's feed with the messages it tells of, and the turns that were live, all as of one instant.
 *
 * @param events in order; empty if nothing new was there
 * @param messages the messages that the events added or updated, or whose turns wait, by their ids, as they were at that instant; without those that were deleted by then or
 *     are larger than was asked for
 * @param atEnd whether nothing comes behind the events as of that instant
 * @param live the turns without an outcome as of that instant, oldest first, each with its stream from the beginning
 */
public record FeedStep(List<FeedEvent> events, Map<String, Message> messages, boolean atEnd, List<LiveTurn> live) {}
