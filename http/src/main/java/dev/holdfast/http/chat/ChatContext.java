package dev.holdfast.http.chat;

import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.Turns;

/**
 * What the connections of one tenant share.
 *
 * @param kept readers for clients that come back, of all tenants
 */
record ChatContext(String tenant, Turns turns, Streams streams, SseSettings events, KeptRuns kept) {}
