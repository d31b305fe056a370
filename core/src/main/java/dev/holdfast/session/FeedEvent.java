package dev.holdfast.session;

import dev.holdfast.store.FeedRow;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a session, and is durable.
 *
 * @param seq its number in the feed, dense from 0
 * @param kind what happened
 * @param at when
 * @param message id of the message it concerns, or null
 * @param turn id of the turn it concerns, or null
 * @param detail more, by kind; or null
 */
public record FeedEvent(
        long seq,
        FeedRow.Kind kind,
        Instant at,
        @Nullable String message,
        @Nullable String turn,
        @Nullable String detail) {

    static FeedEvent of(FeedRow row) {
        return new FeedEvent(
                row.seq(), row.kind(), Instant.ofEpochMilli(row.at()), row.messageId(), row.turnId(), row.detail());
    }

    public Optional<String> messageId() {
        return Optional.ofNullable(message);
    }

    public Optional<String> turnId() {
        return Optional.ofNullable(turn);
    }
}
