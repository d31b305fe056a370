package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How subscriptions behave. Start from {@link #defaults}.
 *
 * @param tenant whose streams they follow
 * @param prefix the path of the Durable Streams mount, such as {@code /v1/stream}
 * @param localWebhooks whether webhooks may go to this machine; allow it only where nobody but this machine reaches the server
 * @param keyAge age at which the key that signs webhooks is replaced, at least {@link SubscriptionLimits#MIN_KEY_AGE}; zero for never
 * @param time clock and randomness
 * @param timers makes what waits for leases and retries
 */
public record SubscriptionSettings(
        String tenant,
        String prefix,
        LocalWebhooks localWebhooks,
        Duration keyAge,
        Time time,
        Supplier<Timers> timers) {

    public static SubscriptionSettings defaults(String tenant, String prefix) {
        return new SubscriptionSettings(
                tenant, prefix, LocalWebhooks.REFUSED, Duration.ZERO, Time.system(), Timers::system);
    }

    public SubscriptionSettings withLocalWebhooks(LocalWebhooks allowed) {
        return new SubscriptionSettings(tenant, prefix, allowed, keyAge, time, timers);
    }

    /**
     * @throws IllegalArgumentException if it is neither zero nor at least {@link SubscriptionLimits#MIN_KEY_AGE}
     */
    public SubscriptionSettings withKeyAge(Duration age) {
        if (!age.isZero() && age.compareTo(SubscriptionLimits.MIN_KEY_AGE) < 0) {
            throw new IllegalArgumentException("A key is replaced at an age of at least %s, or never; got %s."
                    .formatted(SubscriptionLimits.MIN_KEY_AGE, age));
        }
        return new SubscriptionSettings(tenant, prefix, localWebhooks, age, time, timers);
    }

    public SubscriptionSettings withTime(Time clock, Supplier<Timers> alarms) {
        return new SubscriptionSettings(tenant, prefix, localWebhooks, keyAge, clock, alarms);
    }
}
