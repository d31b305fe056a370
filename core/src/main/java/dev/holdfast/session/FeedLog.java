package dev.holdfast.session;

import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.stream.Names;
import org.jspecify.annotations.Nullable;

/** Appends to feeds and keeps them bounded: each append that completes a step trims what is beyond retention, in the same transaction. */
final class FeedLog {

    /** Learns of the sessions whose feed a command appended to. */
    @FunctionalInterface
    interface Grown {
        void in(CommitScope scope, long sessionKey);
    }

    private final SessionLimits limits;
    private final Grown grown;

    FeedLog(SessionLimits limits, Grown grown) {
        this.limits = limits;
        this.grown = grown;
    }

    /** Returns the event's number. */
    long append(
            CommitScope scope,
            SessionRow session,
            FeedRow.Kind kind,
            @Nullable String messageId,
            @Nullable String turnId,
            @Nullable String detail) {
        long seq = scope.reads().feedNext(session.key());
        scope.writes()
                .appendFeed(new FeedRow(session.key(), seq, kind, scope.now(), messageId, turnId, shortened(detail)));
        long next = seq + 1;
        if (next % SessionLimits.FEED_TRIM_STEP == 0 && next > limits.feedRetained()) {
            scope.writes().trimFeed(session.key(), next - limits.feedRetained(), 2 * SessionLimits.FEED_TRIM_STEP);
        }
        grown.in(scope, session.key());
        return seq;
    }

    /** Cuts a detail that is too long, never through a character. */
    static @Nullable String shortened(@Nullable String detail) {
        return detail == null ? null : Names.shortened(detail, SessionLimits.MAX_DETAIL_BYTES);
    }
}
