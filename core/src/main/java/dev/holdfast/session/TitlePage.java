package dev.holdfast.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that were found by their titles.
 *
 * @param sessions latest activity first
 * @param next asks for more; null at the end
 */
public record TitlePage(List<SessionInfo> sessions, SessionInfo.@Nullable Position next) {}
