package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Walks over all streams of the tenant, for what the committer's thread could not tell: those that there were before somebody listened. */
final class StreamScan {

    private final Streams streams;
    private final Followers followers;

    StreamScan(Streams streams, Followers followers) {
        this.streams = streams;
        this.followers = followers;
    }

    /**
     * Links a new subscription to the streams that there are, at their tails.
     *
     * @throws SubscriptionProblem if they are too many
     */
    void backfill(Subscription subscription) {
        walk(status -> {
            if (subscription.definition().matches(status.name(), Glob.segments(status.name()))
                    && !followers.link(status.name(), status.incarnation(), status.tail(), subscription)) {
                throw new SubscriptionProblem(
                        SubscriptionProblem.Code.LIMIT_EXCEEDED,
                        "The pattern matches more streams than the %d that a subscription has at most. Narrow it."
                                .formatted(SubscriptionLimits.MAX_LINKS));
            }
        });
    }

    /**
     * Brings links up to what the streams are: tails that grew unheard, streams that were made anew or are gone, and streams that a pattern
     * matches without a link, which are newer than their subscription and are linked at 0. Whoever listens by then misses nothing: what
     * happens in between is told, and told twice does no harm.
     */
    void catchUp(Collection<Subscription> subscriptions) {
        Set<String> seen = new HashSet<>();
        walk(status -> {
            String name = status.name();
            String[] segments = Glob.segments(name);
            for (Subscription each : subscriptions) {
                if (each.definition().matches(name, segments)) {
                    followers.link(name, status.incarnation(), 0, each);
                }
                if (each.links().contains(name)) {
                    seen.add(name);
                    bringUp(each.links(), status);
                }
            }
        });
        for (Subscription each : subscriptions) {
            for (String name : each.links().names()) {
                long incarnation = each.links().incarnation(name);
                boolean vanished = incarnation != Link.NONE
                        && !seen.contains(name)
                        && Present.of(streams, name).isEmpty();
                if (vanished && each.links().gone(name, incarnation)) {
                    followers.unfollow(name, each);
                }
            }
        }
    }

    /**
     * Brings a link up to what a stream was when it was looked at. If that is another stream than the link knew, it is looked at again: the
     * listener may have been told of a newer one in between, and would not be told once more.
     */
    void bringUp(Links links, StreamStatus status) {
        String name = status.name();
        boolean other = links.incarnation(name) != status.incarnation();
        links.reached(name, status.incarnation(), status.tail());
        Optional<StreamStatus> now = other ? Present.of(streams, name) : Optional.empty();
        while (now.isPresent()
                && links.contains(name)
                && links.incarnation(name) != now.get().incarnation()) {
            links.reached(name, now.get().incarnation(), now.get().tail());
            now = Present.of(streams, name);
        }
    }

    private void walk(Consumer<StreamStatus> action) {
        StreamListing listing = StreamListing.all().limit(StreamLimits.MAX_PAGE);
        while (true) {
            List<StreamStatus> page = streams.list(listing);
            for (StreamStatus status : page) {
                if (!StreamPath.isReserved(status.name())) {
                    action.accept(status);
                }
            }
            if (page.size() < StreamLimits.MAX_PAGE) {
                return;
            }
            listing = listing.after(page.getLast().position());
        }
    }
}
