package dev.holdfast.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a search found.
 *
 * @param hits youngest message first
 * @param next for the next page, opaque; null if this is the last one
 */
public record SearchPage(List<SearchHit> hits, @Nullable String next) {}
