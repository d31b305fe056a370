package dev.holdfast.turn;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A turn as it stands.
 *
 * @param sessionId its session
 * @param id its id, unique within the session
 * @param state where it is in its life
 * @param agent the name of its agent
 * @param messageId the id of the message it writes; the message exists once the turn waits or ended, unless there was nothing to keep
 * @param userMessageId the message it answers, or null
 * @param streamName its present or last stream, or null if it has had none; the stream exists while the turn is {@code STREAMING}
 * @param attempts how often its agent was started since it last made progress
 * @param stopRequested whether a stop was committed
 * @param error reason of a failure, stop, interruption or wait, or null
 * @param createdAt when it was accepted
 * @param startsAt before when it does not start, while it waits for its debounce window; or null
 * @param endedAt when it got its outcome, or null
 */
public record TurnStatus(
        String sessionId,
        String id,
        TurnState state,
        String agent,
        String messageId,
        @Nullable String userMessageId,
        @Nullable String streamName,
        int attempts,
        boolean stopRequested,
        @Nullable String error,
        Instant createdAt,
        @Nullable Instant startsAt,
        @Nullable Instant endedAt) {}
