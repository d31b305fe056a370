package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.util.function.Supplier;

/**
 * How subscriptions behave. Start from {@link #defaults}.
 *
 * @param tenant whose streams they follow
 * @param prefix the path of the Durable Streams mount, such as {@code /v1/stream}
 * @param localWebhooks whether webhooks may go to this machine; allow it only where nobody but this machine reaches the server
 * @param time clock and randomness
 * @param timers makes what waits for leases and retries
 */
public record SubscriptionSettings(
        String tenant, String prefix, LocalWebhooks localWebhooks, Time time, Supplier<Timers> timers) {

    public static SubscriptionSettings defaults(String tenant, String prefix) {
        return new SubscriptionSettings(tenant, prefix, LocalWebhooks.REFUSED, Time.system(), Timers::system);
    }

    public SubscriptionSettings withLocalWebhooks(LocalWebhooks allowed) {
        return new SubscriptionSettings(tenant, prefix, allowed, time, timers);
    }

    public SubscriptionSettings withTime(Time clock, Supplier<Timers> alarms) {
        return new SubscriptionSettings(tenant, prefix, localWebhooks, clock, alarms);
    }
}
