package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.stream.StreamListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which subscriptions follow which stream. What streams do is told here on the committer's thread, after the commit; a stream that was looked
 * at before costs one look-up in a hash table, a new one is matched with every pattern once. Nothing here waits.
 *
 * <p><b>Where a stream is linked.</b> A subscription is created with links to all streams that there are and that its pattern matches, at
 * their tails. So a matching stream without a link is newer than the subscription, and is linked at 0, whenever it is found: when it is
 * created, at its first append after that, or by the scan that follows a restart.
 */
final class Followers implements StreamListener {

    /**
     * @param linked those that follow the stream
     * @param announcing those that write their wakes to it
     */
    private record Interest(List<Subscription> linked, List<Subscription> announcing) {

        static final Interest NONE = new Interest(List.of(), List.of());

        boolean isNone() {
            return linked.isEmpty() && announcing.isEmpty();
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Followers.class);

    private final ConcurrentHashMap<String, Interest> byStream = new ConcurrentHashMap<>();
    private final List<Subscription> patterned = new CopyOnWriteArrayList<>();
    private final Misses misses = new Misses(SubscriptionLimits.MAX_REMEMBERED_MISSES);
    private final Consumer<Subscription> signal;

    /**
     * @param signal told of a subscription for which there is something to do; must return at once
     */
    Followers(Consumer<Subscription> signal) {
        this.signal = signal;
    }

    /** From now on the subscription hears of its streams. Its links are those that it has. */
    void add(Subscription subscription) {
        String wakeStream = subscription.definition().wakeStream();
        if (wakeStream != null) {
            change(wakeStream, old -> new Interest(old.linked(), with(old.announcing(), subscription)));
        }
        subscription.links().names().forEach(stream -> follow(stream, subscription));
        if (subscription.definition().pattern() != null) {
            patterned.add(subscription);
        }
    }

    void remove(Subscription subscription) {
        patterned.remove(subscription);
        String wakeStream = subscription.definition().wakeStream();
        if (wakeStream != null) {
            change(wakeStream, old -> new Interest(old.linked(), without(old.announcing(), subscription)));
        }
        subscription.links().names().forEach(stream -> unfollow(stream, subscription));
    }

    void follow(String stream, Subscription subscription) {
        change(stream, old -> new Interest(with(old.linked(), subscription), old.announcing()));
    }

    void unfollow(String stream, Subscription subscription) {
        change(stream, old -> new Interest(without(old.linked(), subscription), old.announcing()));
    }

    private void change(String stream, UnaryOperator<Interest> how) {
        byStream.compute(stream, (name, old) -> {
            Interest changed = how.apply(old == null ? Interest.NONE : old);
            return changed.isNone() ? null : changed;
        });
    }

    @Override
    public void changed(Change change) {
        switch (change.kind()) {
            case CREATED -> created(change.name(), change.incarnation(), change.tail());
            case APPENDED, SETTLED -> grew(change.name(), change.incarnation(), change.tail());
            case GONE -> gone(change.name(), change.incarnation());
        }
    }

    private void created(String stream, long incarnation, long tail) {
        if (silent() || StreamPath.isReserved(stream)) {
            return;
        }
        match(stream, incarnation, subscription -> true);
        Interest interest = byStream.get(stream);
        if (interest == null) {
            misses.add(stream);
            return;
        }
        for (Subscription each : interest.linked()) {
            if (each.links().reached(stream, incarnation, tail)) {
                signal.accept(each);
            }
        }
        interest.announcing().forEach(signal);
    }

    private void grew(String stream, long incarnation, long tail) {
        Interest interest = byStream.get(stream);
        if (interest == null) {
            if (silent() || StreamPath.isReserved(stream) || misses.contains(stream)) {
                return;
            }
            match(stream, incarnation, Subscription::isBackfilled);
            interest = byStream.get(stream);
            if (interest == null) {
                misses.add(stream);
                return;
            }
        }
        for (Subscription each : interest.linked()) {
            if (each.links().reached(stream, incarnation, tail)) {
                signal.accept(each);
            }
        }
    }

    private void gone(String stream, long incarnation) {
        Interest interest = byStream.get(stream);
        if (interest == null) {
            misses.remove(stream);
            return;
        }
        for (Subscription each : interest.linked()) {
            if (each.links().gone(stream, incarnation)) {
                unfollow(stream, each);
            }
            signal.accept(each);
        }
    }

    /** Whether nobody could be interested in a stream that nobody follows by name. */
    private boolean silent() {
        return patterned.isEmpty() && byStream.isEmpty();
    }

    private void match(String stream, long incarnation, Predicate<Subscription> asked) {
        String[] segments = Glob.segments(stream);
        for (Subscription each : patterned) {
            if (asked.test(each) && each.definition().matches(stream, segments)) {
                link(stream, incarnation, 0, each);
            }
        }
    }

    /**
     * Links a stream that a subscription's pattern matches.
     *
     * @return false if the subscription has as many links as it may have
     */
    boolean link(String stream, long incarnation, long acked, Subscription subscription) {
        if (!subscription.links().match(stream, incarnation, acked)) {
            if (subscription.becameFull()) {
                LOG.warn(
                        "Subscription {} has {} links and no room for stream \"{}\". It will not be told of it, nor of others.",
                        subscription.id(),
                        SubscriptionLimits.MAX_LINKS,
                        stream);
            }
            return false;
        }
        follow(stream, subscription);
        return true;
    }

    private static List<Subscription> with(List<Subscription> list, Subscription added) {
        if (list.contains(added)) {
            return list;
        }
        List<Subscription> longer = new ArrayList<>(list);
        longer.add(added);
        return List.copyOf(longer);
    }

    private static List<Subscription> without(List<Subscription> list, Subscription removed) {
        return list.stream().filter(each -> each != removed).toList();
    }
}
