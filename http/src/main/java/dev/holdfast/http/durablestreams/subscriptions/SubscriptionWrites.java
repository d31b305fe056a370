package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings what a subscription is in memory to disk. Its callers hold the subscription's lock. */
final class SubscriptionWrites {

    private final SubscriptionTable table;

    SubscriptionWrites(SubscriptionTable table) {
        this.table = table;
    }

    /**
     * Writes a state together with acknowledgements, and with the links that are not saved yet; these may take commits of their own before.
     *
     * @throws HoldfastException.PreconditionFailed if another instance changed the subscription
     */
    void save(Subscription subscription, WakeState next, List<Link.Ack> acks) {
        Links links = subscription.links();
        int room = SubscriptionTable.MAX_LINKS_PER_WRITE - acks.size();
        if (links.unsavedCount() > room) {
            saveLinks(subscription);
        }
        WakeState state = next.knowing(links.beginnings());
        Map<String, Link.@Nullable Saved> taken = links.takeUnsaved(room);
        Map<String, Link.@Nullable Saved> all = new HashMap<>(taken);
        for (Link.Ack ack : acks) {
            links.saved(ack).ifPresent(saved -> all.put(saved.stream(), saved));
        }
        try {
            long version = table.save(subscription.definition(), state, subscription.version(), all);
            links.acked(acks);
            subscription.installed(state, version);
        } catch (HoldfastException e) {
            links.unsaved(taken.keySet());
            throw e;
        }
    }

    /** Writes all links that are not saved. */
    void saveLinks(Subscription subscription) {
        Links links = subscription.links();
        while (links.unsavedCount() > 0) {
            Map<String, Link.@Nullable Saved> taken = links.takeUnsaved(SubscriptionTable.MAX_LINKS_PER_WRITE);
            try {
                table.saveLinks(subscription.definition().key(), taken);
            } catch (HoldfastException e) {
                links.unsaved(taken.keySet());
                throw e;
            }
        }
    }

    /**
     * Takes over what another instance wrote.
     *
     * @return false if it deleted the subscription
     */
    boolean reload(Subscription subscription) {
        Optional<Map.Entry<WakeState, Long>> found = table.state(subscription.id());
        if (found.isEmpty()) {
            return false;
        }
        subscription.installed(found.get().getKey(), found.get().getValue());
        subscription.replaceDelivery(null);
        subscription
                .links()
                .reload(
                        table.links(subscription.definition().key()),
                        found.get().getKey().beginnings());
        return true;
    }
}
