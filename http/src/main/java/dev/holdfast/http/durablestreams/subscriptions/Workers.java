package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.durablestreams.StreamOffset;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import dev.holdfast.http.durablestreams.subscriptions.WakeTokens.Claims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What workers do with wakes: claim them, report progress, give them back. Whoever holds a wake that is over is told {@code FENCED}. */
final class Workers {

    /**
     * A wake that was claimed.
     *
     * @param streams the linked streams, those with something new first
     */
    record Claim(WakeState wake, List<Link.Standing> streams) {}

    /**
     * An answer to a report.
     *
     * @param nextWake whether something is new still and another wake began
     * @param token a fresh token, or null while the old one is good
     */
    record Progress(boolean nextWake, @Nullable String token) {}

    private final Wakes wakes;
    private final SubscriptionWrites writes;
    private final WakeTokens tokens;

    Workers(Wakes wakes, SubscriptionWrites writes, WakeTokens tokens) {
        this.wakes = wakes;
        this.writes = writes;
        this.tokens = tokens;
    }

    /** A worker takes a pull-wake subscription, for as long as its lease lasts. */
    Claim claim(Subscription subscription, String worker) {
        requirePull(subscription);
        return wakes.operate(subscription, now -> {
            WakeState state = subscription.state();
            if (state.holder() != null) {
                throw new SubscriptionProblem(
                        Code.ALREADY_CLAIMED,
                        "Another worker holds this subscription until its lease ends.",
                        Map.of("current_holder", state.holder(), "generation", state.generation()));
            }
            if (!subscription.links().hasPending()) {
                throw new SubscriptionProblem(
                        Code.NO_PENDING_WORK, "Nothing is new in the streams of this subscription.");
            }
            WakeState wake = state.idle() ? wakes.woken(subscription, state, now) : state;
            writes.save(subscription, wake.claimed(worker, leaseEnd(subscription, now)), List.of());
            WakeState claimed = subscription.state();
            return new Claim(
                    claimed,
                    subscription.links().standings(SubscriptionLimits.MAX_STREAMS_PER_WAKE, claimed.beginnings()));
        });
    }

    /** A worker acknowledges what it did, which extends its lease, or ends the wake. */
    Progress report(Subscription subscription, String token, ProgressRequest request) {
        return wakes.operate(subscription, now -> {
            Claims claims = verify(subscription, token, request);
            List<Link.Ack> acks = acks(subscription, request, claims.beginnings());
            if (!request.done()) {
                writes.save(subscription, subscription.state().kept(leaseEnd(subscription, now)), acks);
                return new Progress(
                        false,
                        tokens.isAging(claims)
                                ? tokens.issue(subscription.definition(), claims.generation(), claims.beginnings())
                                : null);
            }
            return new Progress(end(subscription, acks, now), null);
        });
    }

    /** A worker gives its wake back. */
    void release(Subscription subscription, String token, ProgressRequest request) {
        requirePull(subscription);
        wakes.operate(subscription, now -> {
            verify(subscription, token, request);
            return end(subscription, List.of(), now);
        });
    }

    /** Ends the wake, and begins another if something is new still; says whether it did. */
    private boolean end(Subscription subscription, List<Link.Ack> acks, long now) {
        boolean again = subscription.links().pendingAfter(acks);
        WakeState ended = subscription.state().ended();
        writes.save(subscription, again ? wakes.woken(subscription, ended, now) : ended, acks);
        subscription.forgetDelivery();
        return again;
    }

    private Claims verify(Subscription subscription, String token, ProgressRequest request) {
        Claims claims = tokens.check(token, subscription.id());
        WakeState state = subscription.state();
        boolean current = claims.key().equals(subscription.definition().key())
                && claims.generation() == state.generation()
                && request.generation() == state.generation()
                && !state.idle()
                && state.wakeId() != null
                && state.wakeId().equals(request.wakeId());
        if (!current) {
            throw SubscriptionProblem.fenced(state.generation());
        }
        return claims;
    }

    private static List<Link.Ack> acks(Subscription subscription, ProgressRequest request, long begun) {
        List<Link.Ack> acks = new ArrayList<>();
        request.acks()
                .forEach((stream, offset) -> acks.add(subscription.links().check(stream, position(offset), begun)));
        return acks;
    }

    private static long position(String offset) {
        return StreamOffset.find(offset)
                .orElseThrow(() -> new SubscriptionProblem(
                        Code.INVALID_OFFSET, "An acknowledgement names an offset exactly as the server gave it."));
    }

    private static long leaseEnd(Subscription subscription, long now) {
        return now + subscription.definition().lease().toMillis();
    }

    static void requirePull(Subscription subscription) {
        require(subscription, Definition.Type.PULL_WAKE);
    }

    static void require(Subscription subscription, Definition.Type type) {
        if (subscription.definition().type() != type) {
            throw SubscriptionProblem.invalid("This is for subscriptions of type %s; \"%s\" is of type %s."
                    .formatted(
                            type.wire(),
                            subscription.id(),
                            subscription.definition().type().wire()));
        }
    }
}
